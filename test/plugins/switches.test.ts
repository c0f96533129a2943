import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { installPlugin } from '../support/install-plugin.ts';
import { bootWith } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

/** The environment does not say which plugins are on. */
const notGiven = { TAPLINE_PLUGINS: undefined } as unknown as Record<string, string>;

describe('/api/v2/plugin_switches/', () => {
  let database: TestDatabase;
  let dataDir: string;
  let service: TestService;
  const start = () => bootWith({ database, dataDir, env: notGiven });

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-switches-'));
    installPlugin(dataDir, 'alpha');
    installPlugin(dataDir, 'beta', { requires: ['alpha'] });
    installPlugin(dataDir, 'gate', { manifest: 'mandatory: true,' });
    installPlugin(dataDir, 'loud', { body: `throw new Error('must not run')` });
    service = await start();
  });
  after(async () => {
    await service?.stop();
    await database.drop();
    removeFolder(dataDir);
  });

  const row = async (name: string) => {
    const { body } = await service.get(`plugin_switches/?name=${name}`);
    const { on, enabled, optional, source, restart } = body.results[0];
    return { on, enabled, optional, source, restart };
  };
  const post = (name: string, enabled: unknown, more: object = {}) =>
    service.post('plugin_switches/', { name, enabled, ...more });
  const layer = () => JSON.parse(readFileSync(join(dataDir, 'plugins.json'), 'utf8'));

  it('lists what is installed without importing it, and what switched it on', async () => {
    const off = { on: false, enabled: false, optional: false, source: '', restart: false };
    expect(await row('tapline-loud')).to.deep.equal(off);
    expect(await row('console')).to.deep.equal({ ...off, on: true, enabled: true, source: 'config/plugins.ts' });
    const { body } = await service.get('plugin_switches/?name=tapline-alpha');
    expect(body.results[0]).to.include({ kind: 'package', version: '2.1.0', description: 'What alpha does.' });
    expect(body.results[0].other_nodes).to.deep.equal([]);
  });

  it('switches one on and off for the next start, which has it', async () => {
    const answer = await post('tapline-alpha', true);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.include({ on: false, enabled: true, source: 'plugins.json', restart: true });
    expect((await service.get('alpha_notes/')).status).to.equal(404);
    expect((await post('tapline-alpha', true)).status).to.equal(200);
    expect((await post('recommendations', false)).body).to.include({ on: true, enabled: false, restart: true });
    expect(layer()).to.deep.equal({ enable: ['tapline-alpha'], disable: ['recommendations'] });
    await service.stop();
    service = await start();
    expect((await service.get('alpha_notes/')).status).to.equal(200);
    expect((await service.get('recommendations/')).status).to.equal(404);
    expect((await post('recommendations', true)).status).to.equal(200);
    expect(layer()).to.deep.equal({ enable: ['tapline-alpha'], disable: [] });
  });

  it('says at the field why not: unknown, a path, what it requires or what requires it, what must not be optional', async () => {
    const refused = async (name: string, enabled: unknown, more: object = {}) => {
      const { status, body } = await post(name, enabled, more);
      expect(status, JSON.stringify(body)).to.equal(400);
      return body;
    };
    expect(await refused('nothing', true)).to.deep.equal({ name: ['No plugin nothing is installed.'] });
    expect(await refused('/tmp/evil.js', true)).to.have.all.keys('name');
    expect(await refused('tapline-gate', true, { optional: true })).to.have.all.keys('optional');
    expect(await refused('tapline-alpha', 'perhaps')).to.have.all.keys('enabled');
    expect((await post('tapline-beta', true)).status).to.equal(200);
    expect(await refused('tapline-alpha', false)).to.deep.equal({
      enabled: ['beta requires alpha: disable it first.'],
    });
    expect((await post('tapline-beta', false)).status).to.equal(200);
    expect((await post('tapline-alpha', false)).status).to.equal(200);
    expect(await refused('tapline-beta', true)).to.deep.equal({
      enabled: ['tapline-beta requires alpha: enable it first.'],
    });
  });

  it('tells the audit log who switched what', async () => {
    const events = (await service.get('audit_events/?action=plugin_switched&order_by=id')).body.results;
    expect(events[0]).to.include({ actor_name: 'admin', object_type: 'plugin' });
    expect(events[0].details).to.deep.equal({ name: 'tapline-alpha', enabled: true, optional: false });
    expect(events.map(({ details }: any) => details.enabled)).to.deep.equal([true, false, true, true, false, false]);
  });

  it('changes nothing where the environment says which are on, and says so', async () => {
    const given = await bootWith();
    const { status, body } = await given.post('plugin_switches/', { name: 'drift', enabled: true });
    await given.stop();
    expect(status).to.equal(409);
    expect(body.detail).to.match(/^TAPLINE_PLUGINS is set in the environment/);
  });
});
