import { createHmac, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { freePort } from '../../demo/free-port.ts';
import { Node } from '../chaos/node.ts';
import { world } from '../rbac/world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { killedAt } from './gate.ts';

const patience = 180_000;

describe('events in and out, of a process that is killed', function () {
  this.timeout(600_000);
  let base: TestDatabase;
  let node: Node;
  let data: string;
  let url: string;
  let target: Server;
  const arrived: { headers: IncomingHttpHeaders; body: any }[] = [];

  before(async () => {
    base = await createTestDatabase();
    data = mkdtempSync(join(tmpdir(), 'tapline-events-'));
    chmodSync(data, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v2/`;
    node = new Node('web,worker', {
      DATABASE_URL: base.url,
      TAPLINE_DATA: data,
      TAPLINE_PLUGINS: 'eda,outbound-webhooks',
      TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
      ADMIN_PASSWORD: 'killed-secret',
      PORT: String(port),
    });
    await start();
    target = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += String(part)));
      request.on('end', () => {
        arrived.push({ headers: request.headers, body: JSON.parse(body) });
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const make = world(base.db);
    const organization = await make.organization();
    const inventory = await make.inventory(organization);
    // without a revision its runs end as soon as they are to begin
    const project = await make.project(organization, { status: 'successful', scm_type: 'git', scm_revision: 'abc' });
    const parts = {
      inventory_id: inventory.id,
      project_id: project.id,
      playbook: 'site.yml',
      allow_simultaneous: true,
    };
    const template = await make.jobTemplate(organization, parts);
    const action = { action_type: 'launch_job_template', target_id: template.id };
    const common = { organization: organization.id, name: 'killed' };
    await post('event_rules/', {
      ...common,
      source_type: 'webhook_generic',
      webhook_path: 'killed',
      webhook_key: 'k',
      actions: [action, action],
    });
    const { port: at } = target.address() as AddressInfo;
    await post('outbound_webhooks/', { ...common, url: `http://127.0.0.1:${at}/`, events: ['job.failed'] });
  });
  after(async () => {
    await node?.kill();
    target?.closeAllConnections();
    target?.close();
    await base?.drop();
    removeFolder(data);
  });

  const authorization = `Basic ${btoa('admin:killed-secret')}`;
  async function post(path: string, body: object): Promise<any> {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const read: any = await answer.json();
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(read)}`);
    return read;
  }
  async function start(): Promise<void> {
    node.start();
    const up = () =>
      fetch(`${url}ping/`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(up, patience, 'the service answers');
  }
  async function event(): Promise<number> {
    const body = JSON.stringify({ event_guid: randomUUID() });
    const signature = `sha256=${createHmac('sha256', 'k').update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-svc-signature': signature };
    // a service that has just begun may have no connection yet, and says so: a sender tries again
    return until(
      async () => {
        const answer = await fetch(`${url}eda_webhooks/killed/`, { method: 'POST', headers, body });
        if (answer.status === 503) return undefined;
        expect(answer.status).to.equal(202);
        return ((await answer.json()) as any).event_log as number;
      },
      patience,
      'the event is taken',
    );
  }

  /** Kills the process before this change, and starts it again. */
  async function killAt<T>(change: string, when: string, work: () => Promise<T>): Promise<T> {
    const result = await killedAt({ db: base.db, node, change, when, work });
    await start();
    return result;
  }

  const log = (id: number) => base.db('plugin_eda.event_logs').where({ id }).first();
  const runs = (id: number) =>
    base
      .db('runs')
      .whereRaw("origin->>'kind' = 'event' and (origin->>'id')::bigint = ?", [id])
      .orderBy('id')
      .pluck('id');

  it('between the answer and the queue, forgets no event', async () => {
    const id = await killAt('delete on plugin_eda.inbox', 'true', event);
    await until(async () => (await log(id)).status === 'action_fired', patience, 'the event is done with');
    expect(await runs(id)).to.have.length(2);
  });

  it('between a launch and its record, launches each action once', async () => {
    const id = await killAt('update on plugin_eda.event_logs', 'new.actions_triggered <> old.actions_triggered', event);
    const done = await until(
      async () => {
        const row = await log(id);
        return row.finished ? row : undefined;
      },
      patience,
      'the event is done with',
    );
    expect(done.status).to.equal('action_fired');
    expect(await runs(id)).to.deep.equal(done.actions_triggered.map(({ job }: any) => job));
    expect(await runs(id)).to.have.length(2);
  });

  it('between a delivery and its record, delivers it again with its webhook-id, and all others', async () => {
    const deliveries = () => base.db('plugin_outbound_webhooks.outbound_webhook_deliveries');
    const id = await killAt(
      'update on plugin_outbound_webhooks.outbound_webhook_deliveries',
      'new.finished is not null',
      event,
    );
    // nobody waits for the end of the lease here
    await deliveries()
      .whereNull('finished')
      .whereNotNull('leased_until')
      .update({ leased_until: new Date(0).toISOString() });
    const found = await until(
      async () => {
        const launched = await runs(id);
        const taken = await deliveries().whereIn('run_id', launched).where({ status: 'successful' });
        return taken.length === 2 ? launched : undefined;
      },
      patience,
      'both are delivered',
    );
    const ids = arrived.map(({ body, headers }) => `${body.data.id} ${String(headers['webhook-id'])}`);
    // each run under one name, and what was under way under the same name again
    expect(new Set(ids).size).to.equal(new Set(arrived.map(({ body }) => body.data.id)).size);
    expect(ids.length).to.be.greaterThan(new Set(ids).size);
    for (const run of found) expect(ids.some((one) => one.startsWith(`${run} `))).to.equal(true);
  });
});
