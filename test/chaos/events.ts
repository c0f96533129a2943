import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Api } from './api.ts';
import type { PlayName } from './plays.ts';
import type { Stage } from './stage.ts';

const key = 'chaos-events';
export const receiver = 'eda_webhooks/chaos/';

/** What somebody outside tells: a rule launches one job for each. */
export function pushed(): { body: object; headers: Record<string, string> } {
  const body = { event_guid: randomUUID() };
  const signature = createHmac('sha256', key).update(JSON.stringify(body)).digest('hex');
  return { body, headers: { 'x-svc-signature': `sha256=${signature}` } };
}

/** The far end of an outbound webhook, which no strike meets: it keeps what it is told, by `webhook-id`. */
export class Target {
  readonly told = new Map<string, { event: string; run: number; seq: number; times: number }>();
  /** how often it was notified that a run has a status */
  readonly notified = new Map<string, number>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => void parts.push(part));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(parts).toString('utf8'));
        if (request.url === '/notified') this.#note(body);
        else this.#hear(String(request.headers['webhook-id']), body);
        response.writeHead(204).end();
      });
    });
  }

  #hear(id: string, { type, data }: { type: string; data: { id: number; seq: number } }): void {
    const times = (this.told.get(id)?.times ?? 0) + 1;
    this.told.set(id, { event: type, run: data.id, seq: data.seq, times });
  }

  #note({ run, status }: { run?: number; status?: string }): void {
    const word = `${run} ${status}`;
    this.notified.set(word, (this.notified.get(word) ?? 0) + 1);
  }

  static async listen(): Promise<Target> {
    const target = new Target();
    await once(target.#server.listen(0, '127.0.0.1'), 'listening');
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Each event launches a job, and what becomes of jobs is told to the target. */
export async function tieEvents(api: Api, templates: Record<PlayName, number>, { url }: Target): Promise<void> {
  const [organization] = (await api.call('GET', 'organizations/?name=Default')).results;
  const common = { name: 'Chaos', organization: organization.id, webhook_key: key };
  await api.call('POST', 'event_rules/', {
    ...common,
    source_type: 'webhook_generic',
    webhook_path: 'chaos',
    actions: [{ action_type: 'launch_job_template', target_id: templates.append }],
  });
  const events = ['job.started', 'job.succeeded', 'job.failed', 'job.canceled'];
  await api.call('POST', 'outbound_webhooks/', { ...common, url, events });
}

const logsSql = `
  select l.id::int, l.status, count(r.id)::int as runs from plugin_eda.event_logs l
  left join runs r on r.origin ->> 'kind' = 'event' and (r.origin ->> 'id')::bigint = l.id
  group by l.id order by l.id`;

const endsSql = `select id::int, status from runs where kind = 'job' and finished is not null`;
const ends: Record<string, string> = {
  successful: 'job.succeeded',
  failed: 'job.failed',
  error: 'job.failed',
  canceled: 'job.canceled',
};

/** Each event has its one run, and each end of a job came, under one `webhook-id` however often it was sent. */
export async function brokenEvents(
  stage: Pick<Stage, 'query'>,
  { told }: Pick<Target, 'told'>,
  answered: ReadonlySet<number>,
): Promise<string[]> {
  const logs = new Map((await stage.query(logsSql)).map((log) => [log.id as number, log]));
  const problems = [...answered].filter((id) => !logs.has(id)).map((id) => `event ${id} was answered and is not there`);
  for (const { id, status, runs } of logs.values())
    if (status !== 'action_fired' || runs !== 1) problems.push(`event ${id} is ${status} and made ${runs} runs`);
  const came = Map.groupBy(told.values(), ({ run, seq }) => `${run} ${seq}`);
  for (const [change, messages] of came)
    if (messages.length > 1) problems.push(`change ${change} (run, seq) was told under ${messages.length} webhook-ids`);
  const endings = Map.groupBy(
    [...told.values()].filter(({ event }) => event !== 'job.started'),
    ({ run }) => run,
  );
  for (const { id, status } of await stage.query(endsSql)) {
    const heard = (endings.get(id) ?? []).map(({ event }) => event).join();
    if (heard !== ends[status]) problems.push(`run ${id} ended ${status}, and the target heard ${heard || 'nothing'}`);
  }
  return problems;
}
