import { expect } from 'chai';
import type { PluginApi } from '@tapline/plugin-sdk';
import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import { adminPassword, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

async function listen(service: TestService, groups: object) {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/websocket/`, {
    headers: { authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}` },
  });
  const messages: any[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await until(() => messages.some(({ accept }) => accept));
  socket.send(JSON.stringify({ groups }));
  await until(() => messages.some(({ groups_current }) => groups_current));
  return { messages, close: () => socket.close() };
}

describe('a WebSocket group of a plugin', function () {
  let database: TestDatabase;
  const nodes: TestService[] = [];
  const apis: PluginApi[] = [];

  before(async () => {
    database = await createTestDatabase();
    for (const name of ['one', 'two']) {
      const drift = testPlugin('drift', (api) => {
        apis.push(api);
        api.websocket.group({
          name: 'drift',
          join: async (actor, item, db) => {
            if (item === 'hang') return new Promise<boolean>(() => undefined);
            if (item === 'throw') throw new Error('broken by the test');
            const known = await db('organizations')
              .where({ id: Number(item) || 0 })
              .first();
            return actor.is_superuser && known !== undefined;
          },
        });
      });
      nodes.push(
        await bootWith({
          plugins: [drift],
          database,
          env: {
            TAPLINE_NODE_NAME: name,
            TAPLINE_ROLES: 'web',
            TAPLINE_SECRET_KEY: 'a secret key of more than thirty-two characters',
          },
        }),
      );
    }
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await database.drop();
  });

  it('lets in whom its plugin lets in; a throw and a late answer keep out', async () => {
    const { id } = await database.db('organizations').first();
    const { messages, close } = await listen(nodes[0]!, { drift: [id, 424_242, 'throw', 'hang'], 'drift-1': ['x'] });
    expect(messages.at(-1).groups_current).to.deep.equal([`drift-${id}`]);
    expect(messages.filter(({ error }) => error)).to.have.length(4);
    close();
  });

  it('brings a message to listeners on every node when its transaction commits, and none when it does not', async () => {
    const { id } = await database.db('organizations').first();
    const clients = await Promise.all(nodes.map((node) => listen(node, { drift: [id] })));
    const [api] = apis;
    await api!.db
      .transaction(async (trx: any) => {
        await api!.websocket.publish(trx, 'drift', id, { lost: true });
        throw new Error('taken back');
      })
      .catch(() => undefined);
    await api!.db.transaction((trx: any) => api!.websocket.publish(trx, 'drift', id, { host: 7 }));
    for (const { messages, close } of clients) {
      await until(() => messages.some(({ host }) => host === 7));
      expect(messages.filter(({ group_name }) => group_name === 'drift')).to.deep.equal([
        { group_name: 'drift', host: 7 },
      ]);
      close();
    }
  });

  it('takes no message to the group of another, and none that is too long', async () => {
    const said = (group: string, message: object) =>
      apis[0]!.websocket.publish(apis[0]!.db, group, 1, message as any).then(
        () => 'nothing failed',
        (error: Error) => error.message,
      );
    expect(await said('jobs', {})).to.contain(
      'plugin drift: api.websocket.publish("jobs") names no group of the plugin',
    );
    expect(await said('drift', { text: 'x'.repeat(9000) })).to.match(/has a message of 9\d+ bytes, at most 7500/);
  });
});
