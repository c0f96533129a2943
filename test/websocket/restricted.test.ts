import { expect } from 'chai';
import { hashPassword } from '../../core/accounts/password.ts';
import { createDoors } from '../../core/rbac/doors.ts';
import { createRun } from '../events/spool.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { connect, startNode, type TestNode } from './stage.ts';

describe('a restriction on runs', () => {
  let base: TestDatabase;
  let node: TestNode;
  before(async () => {
    base = await createTestDatabase();
    const password = await hashPassword('password');
    await base.db('users').insert({ username: 'admin', password, is_superuser: true });
    const doors = createDoors();
    doors.restrict('project_update', 'not the closed ones', {
      row: async (_actor, { name }) => name !== 'closed',
      query: (_actor, builder, alias) => void builder.whereNot(`${alias}.name`, 'closed'),
    });
    node = await startNode(base.url, {}, 30_000, doors);
  });
  after(async () => {
    await node.stop();
    await base.drop();
  });

  it('holds for messages too, superusers included', async () => {
    const client = await connect(node, {
      authorization: `Basic ${Buffer.from('admin:password').toString('base64')}`,
    });
    const runs = [];
    for (const name of ['closed', 'open']) {
      const run = await createRun(base.db, { kind: 'project_update' });
      await base.db('runs').where({ id: run.id }).update({ name });
      runs.push(run.id);
    }
    const [closed, open] = runs as [number, number];
    const answer: any = await client.subscribe({
      jobs: ['status_changed', 'summary'],
      project_update_events: [closed, open],
    });
    expect(answer.groups_current).to.include(`project_update_events-${open}`);
    expect(answer.groups_current).to.not.include(`project_update_events-${closed}`);
    for (const run of [closed, open]) {
      const change = { run, kind: 'project_update', template: null, project: null, inventory: null };
      await node.bus.notify(base.db, 'status', { ...change, status: 'running', seq: 3, finished: null });
      await node.bus.notify(base.db, 'events', { run, kind: 'project_update', from: 1, to: 0, final: true });
    }
    await until(() => client.of('jobs').length >= 2);
    expect(new Set(client.of('jobs').map((message) => message.unified_job_id))).to.deep.equal(new Set([open]));
    client.socket.terminate();
  });
});
