import { expect } from 'chai';
import { differences } from '../../core/nodes/agreement.ts';
import { livingNodes } from '../../core/nodes/living.ts';
import { cutOff } from '../support/cut-off.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  );

describe('nodes that share a database', function () {
  const secret = 'a secret key of more than thirty-two characters';
  const other = 'another key of more than thirty-two characters';
  let database: TestDatabase;
  let first: TestService;
  const folders: string[] = [];

  const node = async (name: string, versions: Record<string, string>, env: Record<string, string> = {}) => {
    const service = await bootWith({
      plugins: Object.entries(versions).map(([id, version]) => testPlugin(id, () => undefined, { version })),
      env: { TAPLINE_ROLES: 'web', TAPLINE_NODE_NAME: name, TAPLINE_SECRET_KEY: secret, ...env },
      database,
    });
    folders.push(service.dataDir);
    return service;
  };
  const seen = async () => (await livingNodes(database.db)).map(({ node: name }) => name);

  before(async () => {
    database = await createTestDatabase();
    first = await node('first', { drift: '1.0.0', portal: '2.0.0' });
  });
  after(async () => {
    await first.stop();
    await database.drop();
    for (const folder of folders) removeFolder(folder);
  });

  it('serve together with the same plugins and keys', async () => {
    const second = await node('second', { portal: '2.0.0', drift: '1.0.0' });
    expect(new Set(await seen())).to.deep.equal(new Set(['first', 'second']));
    await second.stop();
    expect(await seen()).to.deep.equal(['first']);
  });

  it('refuse to start where they differ, and say what differs and what to do', async () => {
    const text = await failure(node('second', { drift: '1.1.0', policy: '1.0.0' }));
    expect(text).to.contain('phase "agreement with other nodes": this node (second) differs from first');
    expect(text).to.contain('plugin drift is 1.1.0 here, 1.0.0 there');
    expect(text).to.contain('plugin policy 1.0.0 is on here, not there');
    expect(text).to.contain('plugin portal 2.0.0 is on there, not here');
    expect(text).to.contain('TAPLINE_PLUGINS').and.to.contain('stop every other node first');
    expect(await seen()).to.deep.equal(['first']);
  });

  it("refuse each other's keys unless each reads what the other writes", async () => {
    const set = { drift: '1.0.0', portal: '2.0.0' };
    const text = await failure(node('second', set, { TAPLINE_SECRET_KEY: other }));
    expect(text).to.match(/the key \w+, active there, is not in the key ring here; the key \w+, active here/);
    const both = await failure(node('second', set, { TAPLINE_SECRET_KEY: `${other},${secret}` }));
    expect(both).to.match(/differs from first.*: the key \w+, active here, is not in the key ring there/);
    await (await node('second', set, { TAPLINE_SECRET_KEY: `${secret},${other}` })).stop();
  });

  it('do not wait for a node that died, nor for themselves', async () => {
    const back = await cutOff(database.db, first.services.membership);
    const second = await node('second', { drift: '1.1.0' });
    expect(await seen()).to.deep.equal(['second']);
    // what a kill does to its connection
    await second.services.bus.stop();
    const again = await node('second', { drift: '1.2.0' });
    expect(await seen()).to.deep.equal(['second']);
    await again.stop();
    await second.stop();
    back();
  });

  it('record the set of the last start', async () => {
    const [{ value }] = await database.db('service_state').where({ key: 'plugins' });
    expect(value).to.deep.equal({ drift: '1.2.0' });
  });

  it('tell the audit log of plugins that were switched on or off', async () => {
    const events = await database.db('audit_events').where({ action: 'plugins_changed' }).orderBy('id');
    expect(events.map(({ details }) => details)).to.deep.include({
      added: ['drift', 'portal'],
      removed: [],
      changed: [],
    });
  });

  it('refuse a key ring that lost the key of stored secrets', async () => {
    await first.stop();
    const before = await node('third', {});
    const types = await before.get('credential_types/?kind=ssh');
    const organization = (await before.get('organizations/')).body.results[0].id;
    const made = await before.post('credentials/', {
      name: 'c',
      organization,
      credential_type: types.body.results[0].id,
      inputs: { password: 'canary' },
    });
    expect(made.status).to.equal(201);
    await before.stop();
    const text = await failure(node('third', {}, { TAPLINE_SECRET_KEY: other }));
    expect(text).to.match(
      /secrets in the database were encrypted with the key \w+, which is not in this node's key ring/,
    );
    expect(text).to.contain('Put keys.json back').and.to.contain('keys rotate');
    await (await node('third', {}, { TAPLINE_SECRET_KEY: `${other},${secret}` })).stop();
  });
});

describe('the comparison of two nodes', () => {
  const set = (plugins: Record<string, string | null>) => ({ node: 'n', plugins, active_key: 'k', key_ids: ['k'] });

  it('takes a plugin that one had to leave out for no difference', () => {
    expect(differences(set({ a: null, b: '1.0.0' }), set({ a: '1.0.0', b: null }))).to.deep.equal([]);
    expect(differences(set({ a: null }), set({}))).to.deep.equal([]);
  });
});
