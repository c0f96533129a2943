import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@tapline/core/db/postgres.ts';
import { pino } from 'pino';
import { freePort } from '../../demo/free-port.ts';
import { Node } from '../chaos/node.ts';
import { persist } from '../chaos/api.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

export interface Answer {
  status: number;
  body: any;
  /** milliseconds until the answer was there */
  took: number;
}

/** The whole service as one process on a Postgres that the test may stop. */
export interface OutageService {
  postgres: PostgresServer;
  node: Node;
  url: string;
  data: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  template(playbook: string, more?: object): Promise<number>;
  close(): Promise<void>;
}

export async function startOutageService(env: Record<string, string> = {}): Promise<OutageService> {
  const base = mkdtempSync(join(tmpdir(), 'tapline-outage-'));
  chmodSync(base, 0o755);
  const data = join(base, 'data');
  const postgres = await startPostgres({ dataDir: data, log: pino({ level: 'silent' }) });
  const port = await freePort();
  const node = new Node('web,worker', {
    DATABASE_URL: postgres.url,
    TAPLINE_DATA: data,
    ADMIN_PASSWORD: 'outage-secret',
    PORT: String(port),
    ...env,
  });
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const began = performance.now();
    const reply = await fetch(`http://127.0.0.1:${port}/api/v2/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from('admin:outage-secret').toString('base64')}`,
        'content-type': 'application/json',
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(120_000),
    });
    const text = await reply.text();
    const json = reply.headers.get('content-type')?.includes('json') === true;
    return {
      status: reply.status,
      body: json && text !== '' ? JSON.parse(text) : text,
      took: performance.now() - began,
    };
  };
  node.start();
  await persist('the first ping', async () => {
    const { status } = await send('GET', 'ping/');
    if (status !== 200) throw new Error(`ping answered ${status}`);
  });
  const folder = join(data, 'projects', 'faults');
  mkdirSync(folder, { recursive: true });
  let project: number | undefined;
  return {
    postgres,
    node,
    url: `http://127.0.0.1:${port}`,
    data,
    get: (path) => send('GET', path),
    post: (path, body = {}) => send('POST', path, body),
    async template(playbook, more = {}) {
      const name = `playbook-${Math.random().toString(36).slice(2)}`;
      writeFileSync(join(folder, `${name}.yml`), playbook);
      const organization = (await send('GET', 'organizations/?name=Default')).body.results[0].id;
      const inventory = (await send('GET', 'inventories/?name=Demo+Inventory')).body.results[0].id;
      project ??= (await send('POST', 'projects/', { name: 'Faults', organization, local_path: 'faults' })).body.id;
      const made = await send('POST', 'job_templates/', { name, project, inventory, playbook: `${name}.yml`, ...more });
      if (made.status !== 201) throw new Error(`job template: ${made.status} ${JSON.stringify(made.body)}`);
      return made.body.id;
    },
    async close() {
      await node.stop();
      await postgres.stop();
      removeFolder(base);
    },
  };
}
