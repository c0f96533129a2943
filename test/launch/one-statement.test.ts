import { expect } from 'chai';
import type { Knex } from 'knex';
import { createHooks } from '../../core/hooks/hooks.ts';
import { underKey } from '../../core/runs/launch-key.ts';
import type { LaunchRequest } from '../../core/runs/start.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { createRuns } from '../support/runs.ts';
import { bareTemplate } from './bare-template.ts';

describe('what a launch asks of the database', () => {
  let database: TestDatabase;
  let db: Knex;
  let request: LaunchRequest;
  before(async () => {
    database = await createTestDatabase();
    db = database.db;
    const template = await bareTemplate(db);
    const origin = { kind: 'api', id: null, client_ip: null };
    request = { kind: 'job', template, prompts: {}, actor: null, authority: null, waiting: true, origin };
  });
  after(() => database.drop());

  async function statements(hooks = createHooks({ log: silentLog }), more: Partial<LaunchRequest> = {}) {
    const found: string[] = [];
    const record = ({ sql }: { sql: string }) => void found.push(/^\w+/.exec(sql)![0].toLowerCase());
    db.on('query', record);
    try {
      const { run } = await createRuns(db, { hooks }).launch.start({ ...request, ...more });
      expect(run.status).to.equal('pending');
      return found;
    } finally {
      db.removeListener('query', record);
    }
  }

  it('is one statement that reads and one that stores, where nothing else is to be written', async () => {
    expect(await statements()).to.deep.equal(['select', 'with']);
  });

  it('is a transaction where a tap is to be told, and else not', async () => {
    const hooks = createHooks({ log: silentLog });
    hooks.on('onStatusChange', { name: 'a:end', to: ['successful'] }, () => undefined);
    hooks.on('onStatusChange', { name: 'a:sleeper', asleep: () => true }, () => undefined);
    expect(await statements(hooks)).to.deep.equal(['select', 'with']);
    hooks.on('onStatusChange', { name: 'a:pending', to: ['pending'] }, () => undefined);
    expect(await statements(hooks)).to.deep.equal(['select', 'begin', 'with', 'commit']);
  });

  it('reads no more where a tap decides about it, and notes what that said', async () => {
    const hooks = createHooks({ log: silentLog });
    const seen: unknown[] = [];
    hooks.beforeStart({ name: 'a:gate', failMode: 'deny' }, ({ template, uses, run }: any) => {
      seen.push(template.name, uses.inventory.name, uses.project.name, uses.credentials, run.status);
    });
    expect(await statements(hooks)).to.deep.equal(['select', 'with', 'begin', 'update', 'with', 'commit']);
    expect(seen).to.deep.equal(['t', 'i', 'p', [], 'new']);
  });

  it('is a transaction where another run follows it', async () => {
    const parent = (await createRuns(db).launch.start(request)).run.id;
    const sent = await statements(undefined, { parent });
    expect([sent[1], sent.at(-1)]).to.deep.equal(['begin', 'commit']);
  });

  it('is a transaction where the request has a key', async () => {
    const [{ id: user }] = await db('users').insert({ username: 'u', password: '' }).returning('id');
    const key = { user, hash: Buffer.alloc(32), attempt: crypto.randomUUID(), extra: {} };
    await db('idempotency_keys').insert({
      user_id: user,
      key_hash: key.hash,
      fingerprint: key.hash,
      attempt: key.attempt,
    });
    const sent = await underKey(key, () => statements());
    expect(sent).to.deep.equal(['select', 'begin', 'with', 'update', 'commit']);
    expect((await db('idempotency_keys').first('run_id')).run_id).to.be.a('number');
  });
});
