import { mkdirSync, mkdtempSync, rmSync, chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '@tapline/core/app/postgres.ts';
import pg from 'pg';
import { pino } from 'pino';
import { freePort } from '../../demo/free-port.ts';
import { type PlayName, plays } from './playbooks.ts';
import { Node } from './processes.ts';

const password = 'chaos-secret';

/** A web node, a worker node and a Postgres of their own, on a throw-away data folder. */
export interface Stage {
  data: string;
  /** where playbooks leave their lines, outside the service */
  proof: string;
  postgres: PostgresServer;
  nodes: Node[];
  templates: Record<PlayName, number>;
  call(method: string, path: string, body?: unknown): Promise<any>;
  text(path: string): Promise<string>;
  query(sql: string): Promise<any[]>;
  /** Starts what ended by itself, as whoever supervises the service would. */
  revive(): void;
  close(): Promise<void>;
}

/** Repeats until it works: the far side is being killed all the time. */
export async function persist<T>(what: string, attempt: () => Promise<T>, timeoutMs = 90_000): Promise<T> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw new Error(`${what}: gave up`, { cause: error });
      await delay(200);
    }
  }
}

async function request(port: number, method: string, path: string, body?: unknown): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v2/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text.slice(0, 300)}`);
  return text;
}

async function makeTemplates(data: string, proof: string, call: Stage['call']): Promise<Stage['templates']> {
  const folder = join(data, 'projects', 'chaos');
  mkdirSync(folder, { recursive: true });
  for (const [name, { playbook }] of Object.entries(plays)) writeFileSync(join(folder, `${name}.yml`), playbook(proof));
  const organization = (await call('GET', 'organizations/?name=Default')).results[0].id;
  const inventory = (await call('GET', 'inventories/?name=Demo+Inventory')).results[0].id;
  const project = await call('POST', 'projects/', { name: 'Chaos', organization, local_path: 'chaos' });
  const template = async (name: PlayName) =>
    (
      await call('POST', 'job_templates/', {
        name,
        project: project.id,
        inventory,
        playbook: `${name}.yml`,
        allow_simultaneous: true,
      })
    ).id;
  return { append: await template('append'), fail: await template('fail'), flood: await template('flood') };
}

export async function setStage(): Promise<Stage> {
  const base = mkdtempSync(join(tmpdir(), 'tapline-chaos-'));
  chmodSync(base, 0o755);
  const data = join(base, 'data');
  const proof = join(base, 'proof');
  mkdirSync(proof);
  chmodSync(proof, 0o777);
  const postgres = await startPostgres({ dataDir: data, log: pino({ level: 'silent' }) });
  const port = await freePort();
  const env = {
    DATABASE_URL: postgres.url,
    TAPLINE_DATA: data,
    ADMIN_PASSWORD: password,
    TAPLINE_AWX_ISOLATION_SHOW_PATHS: JSON.stringify([`${proof}:${proof}:rw`]),
  };
  const nodes = [
    new Node('web', { ...env, PORT: String(port) }),
    new Node('worker', { ...env, PORT: String(await freePort()) }),
  ];
  const call: Stage['call'] = async (method, path, body) => {
    const text = await request(port, method, path, body);
    return text === '' ? undefined : JSON.parse(text);
  };
  const web = nodes[0];
  web?.start();
  await persist('the first ping', () => call('GET', 'ping/'));
  nodes[1]?.start();
  const templates = await makeTemplates(data, proof, call);
  return {
    data,
    proof,
    postgres,
    nodes,
    templates,
    call,
    text: (path) => request(port, 'GET', path),
    query: async (sql) => {
      const client = new pg.Client({ connectionString: postgres.url });
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    revive: () => {
      for (const node of nodes) if (!node.alive) node.start();
    },
    close: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await postgres.stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
