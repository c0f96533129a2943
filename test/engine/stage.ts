import type { Actor, Resource, Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { compileResources, type Catalog } from '../../core/descriptors/compile.ts';
import { createHttp, type HttpDeps } from '../../core/http/server.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { createMetrics } from '../../core/observe/metrics.ts';
import { createTestDatabase } from '../support/database.ts';
import { silentLog } from '../support/log.ts';

export interface Answer {
  status: number;
  headers: Headers;
  /** parsed where it is JSON */
  body: any;
}

export interface Stage {
  db: Knex;
  catalog: Catalog;
  url: string;
  /** `path` without the `/api/v2/` in front, unless it starts with a slash */
  send: (
    method: string,
    path: string,
    body?: unknown,
    options?: { as?: string | null; headers?: Record<string, string> },
  ) => Promise<Answer>;
  get: (path: string, as?: string | null) => Promise<Answer>;
  /** number of statements that the work sends to the database */
  statements: (work: () => Promise<unknown>) => Promise<number>;
  close: () => Promise<void>;
}

const plain = { is_superuser: false, is_system_auditor: false, read_only: false, via: 'basic' } as const;

/** Callers by name; the rows are there as well, so that they can be linked to. */
const callers: Record<string, Omit<Actor, 'id'>> = {
  admin: { ...plain, username: 'admin', is_superuser: true },
  auditor: { ...plain, username: 'auditor', is_system_auditor: true },
  reader: { ...plain, username: 'reader', is_superuser: true, read_only: true, via: 'token' },
  nobody: { ...plain, username: 'nobody' },
};

/** A service over its own database: only these resources, callers named in a header. */
export async function openStage(
  resources: Resource[],
  { sql = '', routes = [], http = {} }: { sql?: string; routes?: Route[]; http?: Partial<HttpDeps> } = {},
): Promise<Stage> {
  const database = await createTestDatabase();
  const { db } = database;
  if (sql) await db.raw(sql);
  const ids = await db('users')
    .insert(
      Object.values(callers).map(({ username, is_superuser, is_system_auditor }) => ({
        username,
        is_superuser,
        is_system_auditor,
      })),
    )
    .returning(['id', 'username']);
  const actors = new Map(ids.map(({ id, username }) => [username, { ...callers[username]!, id }]));
  const catalog = await compileResources({ db, log: silentLog, resources, routes });
  const auth = { authenticate: async ({ req }: any) => actors.get(req.headers['x-caller']) ?? null };
  const service = createHttp({
    config: { version: '1.2.3', nodeName: 'stage' },
    log: silentLog,
    metrics: createMetrics(),
    auth,
    catalog,
    settings: createSettings({ config: { settings: {} } }),
    ...http,
  });
  const url = `http://127.0.0.1:${await service.listen(0)}`;

  const send: Stage['send'] = async (method, path, body, { as = 'admin', headers = {} } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const reply = await fetch(path.startsWith('/') ? url + path : `${url}/api/v2/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(as ? { 'x-caller': as } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : raw ? (body as string) : JSON.stringify(body),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      body: reply.headers.get('content-type')?.includes('json') && text ? JSON.parse(text) : text,
    };
  };

  return {
    db,
    catalog,
    url,
    send,
    get: (path, as) => send('GET', path, undefined, { as }),
    async statements(work) {
      let count = 0;
      const counted = () => void count++;
      db.on('query', counted);
      await work();
      db.off('query', counted);
      return count;
    },
    async close() {
      await service.close(0);
      await database.drop();
    },
  };
}
