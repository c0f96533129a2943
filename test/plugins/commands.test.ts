import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A plugin as a folder that is switched on by its path. */
const folder = join(import.meta.dirname, '..', 'fixtures', 'plugins', 'sample');

describe('commands and the plugins that are on', function () {
  let database: TestDatabase;
  let dataDir: string;
  const cli = (args: string[], env: Record<string, string> = {}) =>
    runCli(args, {
      DATABASE_URL: database.url,
      TAPLINE_DATA: dataDir,
      TAPLINE_PLUGINS: folder,
      TAPLINE_SECRET_KEY: 'a secret key of more than thirty-two characters',
      ...env,
    });

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-commands-'));
  });
  after(async () => {
    await database.drop();
    removeFolder(dataDir);
  });

  it('show their settings', async () => {
    const { code, out: stdout } = await cli(['config', 'print'], { TAPLINE_SAMPLE_LIMIT: '5' });
    expect(code).to.equal(0);
    expect(JSON.parse(stdout).settings.SAMPLE_LIMIT).to.deep.equal({ value: 5, origin: 'environment' });
    const off = await cli(['config', 'print'], { TAPLINE_SAMPLE_LIMIT: '5', TAPLINE_PLUGINS: '' });
    expect(off.code).to.equal(1);
    expect(off.err).to.match(/^Unknown configuration key TAPLINE_SAMPLE_LIMIT/);
  });

  it('tell of keys that belong to nobody', async () => {
    const { code, out } = await cli(['plugins', 'doctor'], { TAPLINE_SAMPLE_LIMTI: '5' });
    expect(code).to.equal(1);
    expect(out).to.match(/FAILED .*TAPLINE_SAMPLE_LIMTI: did you mean TAPLINE_SAMPLE_LIMIT/);
  });

  it('say in words, without a stack, which plugin cannot be loaded', async () => {
    const { code, err: stderr } = await cli(['config', 'print'], { TAPLINE_PLUGINS: 'nosuch' });
    expect(code).to.equal(1);
    expect(stderr)
      .to.match(/^plugin nosuch: there is no such plugin/)
      .and.not.to.match(/\n {4}at /);
  });

  it('do not change their data under nodes that run other plugins', async () => {
    const other = await bootWith({
      plugins: [testPlugin('other')],
      database,
      env: { TAPLINE_ROLES: 'web', TAPLINE_SECRET_KEY: 'a secret key of more than thirty-two characters' },
    });
    const { code, err: stderr } = await cli(['migrate']);
    await other.stop();
    expect(code).to.equal(1);
    expect(stderr).to.contain('plugin sample 1.0.0 is on here, not there');
  });

  it('migrate their data', async () => {
    const { code, out: stdout } = await cli(['migrate']);
    expect(code).to.equal(0);
    expect(stdout).to.contain('Applied: sample/0001_notes');
    expect((await cli(['migrate'])).out).to.contain('up to date');
  });
});
