/** Starts a throw-away service, launches the demo job template through its API and shows what happens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import { Client } from './client.ts';
import { driftEnvironment, showDrift } from './drift.ts';
import { freePort } from './free-port.ts';
import { type DemoHost, startDemoHost } from './sshd.ts';

const root = new URL('..', import.meta.url).pathname;
/** What is shown instead of the first job, or after it: `npm run demo -- drift`. */
const scenes = ['drift', 'events', 'gates'];
const scene = process.argv[2];
/** Far more than it takes; whatever hangs must not hang for ever. */
const deadlineMs = 180_000;
const cancelMs = 30_000;
/** For a person at a terminal; a file, or who sets NO_COLOR, gets none. */
const coloured = process.stdout.isTTY && !process.env['NO_COLOR'];
const say = (text: string) => console.log(coloured ? styleText('cyan', `== ${text}`) : `== ${text}`);
const show = (text: string) => console.log(coloured ? text : stripVTControlCharacters(text));

/** What its caller uses for a service of their own is none of the demo's business, their database least of all. */
const foreign = /^(TAPLINE_|PG|DATABASE_URL$|NODE_ENV$)/;
const ownEnvironment = () => Object.fromEntries(Object.entries(process.env).filter(([key]) => !foreign.test(key)));

function startService(port: number, data: string, password: string): ChildProcess {
  return spawn(process.execPath, ['core/main.js', 'serve'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    // Ctrl-C is for the demo alone: the service has to live until its job is canceled
    detached: true,
    env: {
      ...ownEnvironment(),
      PORT: String(port),
      HOST: '127.0.0.1',
      TAPLINE_DATA: data,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'error',
      ...(scene === 'drift' ? driftEnvironment : {}),
    },
  });
}

async function ready(base: string, service: ChildProcess, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (service.exitCode !== null) throw new Error(`the service ended with code ${service.exitCode}`);
    const reply = await fetch(`${base}/readyz`).catch(() => null);
    if (reply?.ok) return;
    await delay(50);
  }
}

/** Adds the ssh host to the demo inventory and its key to the demo credential. */
async function addSshHost(client: Client, host: DemoHost): Promise<void> {
  const inventory = await client.one('inventories', 'Demo Inventory');
  const credential = await client.one('credentials', 'Demo Credential');
  const template = await client.one('job_templates', 'Demo Job Template');
  // an ordinary user's sshd cannot hand out terminals everywhere
  const noTerminal = { ansible_ssh_use_tty: false };
  const python = existsSync('/usr/bin/python3') ? { ansible_python_interpreter: '/usr/bin/python3' } : {};
  await client.call('POST', 'hosts/', {
    name: 'demo-over-ssh',
    inventory: inventory.id,
    variables: JSON.stringify({ ansible_host: '127.0.0.1', ansible_port: host.port, ...noTerminal, ...python }),
  });
  await client.call('PATCH', `credentials/${credential.id}/`, {
    inputs: { username: host.user, ssh_key_data: host.privateKey },
  });
  await client.call('POST', `job_templates/${template.id}/credentials/`, { id: credential.id });
}

/** Prints the job's output line by line as events arrive; resolves with the finished job. A job whose demo is interrupted is canceled. */
async function follow(client: Client, id: number, signal: AbortSignal): Promise<any> {
  let seen = 0;
  let canceled = 0;
  for (;;) {
    if (canceled && performance.now() - canceled > cancelMs) throw signal.reason;
    if (signal.aborted && !canceled) {
      canceled = performance.now();
      say(`${signal.reason.message}: the job is canceled`);
      // 405: it has just ended by itself
      await client.call('POST', `jobs/${id}/cancel/`, {}).catch(() => undefined);
    }
    const job = await client.call('GET', `jobs/${id}/`);
    const page = await client.call(
      'GET',
      `jobs/${id}/job_events/?order_by=counter&counter__gt=${seen}&page_size=200&no_truncate=1`,
    );
    for (const event of page.results) {
      if (event.stdout !== '' || event.end_line > event.start_line) show(event.stdout);
      seen = event.counter;
    }
    if (job.event_processing_finished && page.results.length === 0) return job;
    await delay(100);
  }
}

async function report(client: Client, job: any): Promise<void> {
  const count = async (path: string) =>
    (await client.call('GET', `jobs/${job.id}/${path}/?page_size=1`)).count as number;
  say(`job ${job.id} ended: ${job.status} after ${job.elapsed} s`);
  if (job.job_explanation) console.log(job.job_explanation);
  say(`stored: ${await count('job_events')} events, ${await count('job_host_summaries')} host summaries`);
  const hosts = await client.call('GET', `hosts/?inventory=${job.inventory}&order_by=name`);
  for (const host of hosts.results) {
    const facts = await client.call('GET', `hosts/${host.id}/ansible_facts/`);
    console.log(
      `   ${host.name}: ${Object.keys(facts).length} facts stored${facts.ansible_distribution ? ` (${facts.ansible_distribution} ${facts.ansible_distribution_version})` : ''}`,
    );
  }
}

interface Stage {
  service: ChildProcess;
  base: string;
  data: string;
  password: string;
  signal: AbortSignal;
}

async function demo({ service, base, data, password, signal }: Stage): Promise<boolean> {
  await ready(base, service, signal);
  const client = new Client(base, 'admin', password);
  say(`service ready at ${base}`);
  if (scene === 'events') {
    const { eventsDemo } = await import('./events.ts');
    return eventsDemo({ client, base, signal, say, show });
  }
  if (scene === 'gates') {
    const { gatesDemo } = await import('./gates.ts');
    return gatesDemo({ client, data, signal, say, show, follow: (id) => follow(client, id, signal) });
  }
  const host = await startDemoHost(join(data, 'demo-sshd'));
  try {
    signal.throwIfAborted();
    if (host) await addSshHost(client, host);
    say(
      host
        ? `a second host is reached by ssh on 127.0.0.1:${host.port}`
        : 'no sshd on this machine: the demo runs on localhost only',
    );
    const template = await client.one('job_templates', 'Demo Job Template');
    signal.throwIfAborted();
    say(`POST ${template.related.launch}`);
    const { job } = await client.call('POST', `job_templates/${template.id}/launch/`, {});
    const finished = await follow(client, job, signal);
    await report(client, finished);
    if (finished.status !== 'successful' || scene !== 'drift') return finished.status === 'successful';
    return await showDrift({ client, data, say, signal, follow: (id) => follow(client, id, signal) });
  } finally {
    host?.stop();
  }
}

class DemoError extends Error {}

if (scene !== undefined && !scenes.includes(scene)) {
  console.error(
    `There is no demo "${scene}": npm run demo, or with one of: ${scenes.join(', ')} (npm run demo -- drift).`,
  );
  process.exit(2);
}
const data = mkdtempSync(join(tmpdir(), 'tapline-demo-'));
const password = randomBytes(12).toString('base64url');
const port = await freePort();
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupt.abort(new Error('interrupted')));
const deadline = setTimeout(
  () => interrupt.abort(new DemoError(`not done after ${deadlineMs / 1000} s`)),
  deadlineMs,
).unref();
const service = startService(port, data, password);
const ended = once(service, 'exit');
let successful = false;
try {
  const base = `http://127.0.0.1:${port}`;
  successful = await demo({ service, base, data, password, signal: interrupt.signal });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  clearTimeout(deadline);
  service.kill('SIGTERM');
  await ended;
  rmSync(data, { recursive: true, force: true });
}
if (successful) say('Next: npm start, then read "First steps" in README.md: your own repository, key and hosts.');
const interrupted = interrupt.signal.aborted && !(interrupt.signal.reason instanceof DemoError);
process.exitCode = successful ? 0 : interrupted ? 130 : 1;
