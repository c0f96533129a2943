import { expect } from 'chai';
import { createAudience } from '../../core/http/websocket/client.ts';
import { createStatusFeed } from '../../core/http/websocket/status-feed.ts';
import type { BusMessages } from '../../core/queue/bus.ts';
import { bareTemplate } from '../launch/bare-template.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';
import { createRuns } from '../support/runs.ts';
import { until } from '../support/until.ts';

describe('changes of status that are told after a gap in the notifications', () => {
  let database: TestDatabase;
  let template: number;
  before(async () => {
    database = await createTestDatabase();
    template = await bareTemplate(database.db);
  });
  after(() => database.drop());

  /** A run that has changed twice, and a client that hears of the feed. */
  async function stage() {
    const { db } = database;
    const { kinds, launch } = createRuns(db);
    const origin = { kind: 'api', id: null, client_ip: null };
    const request = { kind: 'job', template, prompts: {}, actor: null, authority: null, waiting: true, origin };
    const { run } = await launch.start(request);
    await db('runs').where({ id: run.id }).update({ status: 'waiting', status_seq: 2 });
    const audience = createAudience();
    const heard: number[] = [];
    const socket = {
      readyState: 1,
      OPEN: 1,
      bufferedAmount: 0,
      send(text: string) {
        const { unified_job_id: id, seq } = JSON.parse(text);
        if (id === run.id) heard.push(seq);
      },
    };
    const client = { socket, actor: { id: 1 }, groups: new Set() } as never;
    audience.clients.add(client);
    audience.join(client, 'jobs-status_changed');
    const feed = createStatusFeed({ db, kinds, log: silentLog, audience, canSee: async () => true });
    const notified = (seq: number, status: string): BusMessages['status'] => ({
      run: run.id,
      kind: 'job',
      status,
      seq,
      template,
    });
    return { feed, heard, notified };
  }

  it('are not followed by what was notified before they were read', async () => {
    const { feed, heard, notified } = await stage();
    await feed.catchUp();
    feed.notice(notified(1, 'pending'));
    feed.notice(notified(2, 'waiting'));
    feed.notice(notified(3, 'running'));
    await until(() => heard.includes(3));
    expect(heard).to.deep.equal([2, 2, 3]);
  });

  it('are left out where a later one was notified while they were read', async () => {
    const { feed, heard, notified } = await stage();
    feed.notice(notified(3, 'running'));
    await feed.catchUp();
    feed.notice(notified(4, 'successful'));
    await until(() => heard.includes(4));
    expect(heard).to.deep.equal([3, 4]);
  });
});
