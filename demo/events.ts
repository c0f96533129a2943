/** A signed push arrives, a rule matches, a job runs, and a signed webhook leaves, which a library verifies. */
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Client } from './client.ts';

interface Scene {
  client: Client;
  base: string;
  signal: AbortSignal;
  say: (text: string) => void;
  show: (text: string) => void;
}

interface Arrived {
  headers: IncomingMessage['headers'];
  body: string;
}

/** Somebody's service, to which webhooks of the platform go. */
async function startTarget() {
  const arrived: Arrived[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      arrived.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrived, stop: () => server.close() };
}

/** A push as GitHub sends one, signed with the key of the rule. */
async function push(base: string, rule: any, key: string): Promise<any> {
  const body = JSON.stringify({ ref: 'refs/heads/main', after: '4a1c0de', repository: { full_name: 'demo/site' } });
  const reply = await fetch(`${base}/api/v2/eda_webhooks/${rule.webhook_path}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
    },
    body,
  });
  const answer: any = await reply.json();
  if (reply.status !== 202) throw new Error(`the push was answered with ${reply.status}: ${JSON.stringify(answer)}`);
  return answer;
}

async function until<T>(signal: AbortSignal, ask: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const found = await ask();
    if (found !== undefined) return found;
    await delay(50);
  }
}

async function prepare(client: Client, url: string) {
  await client.call('PATCH', 'settings/system/', { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] });
  const template = await client.one('job_templates', 'Demo Job Template');
  const rule = await client.call('POST', 'event_rules/', {
    name: 'Pushes to main',
    organization: template.organization,
    source_type: 'webhook_scm_a',
    webhook_path: 'demo-push',
    conditions: [{ jinja2_expression: "event.ref == 'refs/heads/main'", description: 'only the main branch' }],
    actions: [{ action_type: 'launch_job_template', target_id: template.id }],
  });
  const hook = await client.call('POST', 'outbound_webhooks/', {
    name: 'Somebody who wants to know',
    organization: template.organization,
    url,
    events: ['job.started', 'job.succeeded', 'job.failed'],
  });
  const keyOf = async (path: string, { id }: any) =>
    (await client.call('GET', `${path}/${id}/webhook_key/`)).webhook_key as string;
  return { rule, ruleKey: await keyOf('event_rules', rule), hookKey: await keyOf('outbound_webhooks', hook) };
}

export async function eventsDemo({ client, base, signal, say, show }: Scene): Promise<boolean> {
  const target = await startTarget();
  try {
    const { rule, ruleKey, hookKey } = await prepare(client, target.url);
    say(`a signed push arrives at ${rule.webhook_url}`);
    const { event_log: id } = await push(base, rule, ruleKey);
    const log = await until(signal, async () => {
      const found = await client.call('GET', `event_logs/${id}/`);
      return found.finished ? found : undefined;
    });
    for (const { expression, result } of log.condition_results) show(`   ${expression} → ${result}`);
    say(`event ${id}: ${log.status}, job ${log.job_id}`);
    const job = await until(signal, async () => {
      const found = await client.call('GET', `jobs/${log.job_id}/`);
      return found.finished ? found : undefined;
    });
    say(`job ${job.id} ended: ${job.status}`);
    const last = await until(signal, () =>
      target.arrived.find(({ headers }) => headers['x-svc-event'] !== 'job.started'),
    );
    for (const { headers, body } of target.arrived) {
      const { type, data } = new Webhook(hookKey).verify(body, headers as Record<string, string>) as any;
      show(`   ${type} (seq ${data.seq}) left as ${String(headers['webhook-id'])}; its signature was verified`);
    }
    return (
      log.status === 'action_fired' && job.status === 'successful' && last.headers['x-svc-event'] === 'job.succeeded'
    );
  } finally {
    target.stop();
  }
}
