import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { startService, type TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('tapline create-admin', function () {
  let service: TestService;
  let folder: string;
  const run = (args: string[], env: Record<string, string> = {}) =>
    runCli(['create-admin', ...args], { DATABASE_URL: service.database.url, TAPLINE_DATA: service.dataDir, ...env });
  const login = async (auth: string) => (await service.get('me/', { auth })).status;

  before(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'tapline-admin-'));
  });
  after(async () => {
    await service.stop();
    removeFolder(folder);
  });

  it('makes a password up and shows it, as the start says, where nobody chose one', async () => {
    const { code, out, err } = await run([]);
    expect({ code, err }).to.deep.equal({ code: 0, err: '' });
    const password = /password: (\S+) {3}\(shown this once\)/.exec(out)?.[1];
    expect(out).to.contain('Superuser admin (id 1) has a new password.');
    expect(await login(`admin:${password}`)).to.equal(200);
  });

  it('takes the one that ADMIN_PASSWORD or a file gives, and does not show it', async () => {
    writeFileSync(join(folder, 'password'), 'from-the-file\n');
    const { out } = await run(['second', '--password-file', join(folder, 'password')]);
    expect(out).to.match(/^Superuser second \(id \d+\) created\.\n$/);
    expect(await login('second:from-the-file')).to.equal(200);
    expect((await run(['second'], { ADMIN_PASSWORD: 'from-outside' })).out).not.to.contain('from-outside');
    expect(await login('second:from-outside')).to.equal(200);
  });

  it('says in words what is wrong with a password or its file', async () => {
    for (const [args, env, text] of [
      [[], { ADMIN_PASSWORD: 'short' }, 'The password needs at least 8 characters.'],
      [['--password-file', join(folder, 'none')], {}, 'The file of the password cannot be read: ENOENT'],
      [['--password-file', '/dev/null'], {}, 'The file /dev/null holds no password.'],
    ] as [string[], Record<string, string>, string][]) {
      const { code, err } = await run(args, env);
      expect(code).to.equal(1);
      expect(err).to.contain(text).and.not.to.contain('\n    at ');
    }
  });

  it('has doctor beside it, which fails where the data folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, out } = await runCli(['doctor'], { TAPLINE_DATA: join(folder, 'file') });
    expect(code).to.equal(1);
    expect(out).to.match(/FAILED +The data folder \S+ cannot be used: .*\n +→ Set TAPLINE_DATA to a folder/);
  });
});
