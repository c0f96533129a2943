import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import type { Services } from '../../core/app/container.ts';
import { tokenHash } from '../../core/accounts/token.ts';
import { type Answer, ask } from './client.ts';
import { startService, type TestService } from './service.ts';

export type { Answer };

export interface Question {
  method: string;
  path: string;
  /** a token; anonymous without */
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Ask = (question: Question) => Promise<Answer>;

export interface Rewindable {
  url: string;
  services: Services;
  /** outside of every transaction */
  db: Knex;
  ask: Ask;
  /**
   * What `work` asks and writes happens in one transaction that is taken back afterwards: requests on `ask`, rows on `trx`.
   * Constraints that wait for the commit are checked before.
   */
  undone<T>(work: (ask: Ask, trx: Knex) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const header = 'x-test-transaction';

/** The whole service as it boots, without workers, whose requests can be taken back. */
export async function startRewindable(env: Record<string, string> = {}): Promise<Rewindable> {
  const service = await startService({ TAPLINE_ROLES: 'web', TAPLINE_LOGIN_ATTEMPTS_PER_MINUTE: '0', ...env });
  const { db } = service.database;
  const open = new Map<string, Knex.Transaction>();
  const current = new AsyncLocalStorage<Knex.Transaction>();
  useTransaction(service.services.db, current);
  runInside(service.services.http.server, (request) => open.get(String(request.headers[header])), current);
  return {
    url: service.url,
    services: service.services,
    db,
    ask: asking(service, {}),
    async undone(work) {
      const trx = await db.transaction();
      const name = randomUUID();
      open.set(name, trx);
      try {
        const result = await work(asking(service, { [header]: name }), trx);
        await trx.raw('set constraints all immediate').catch(unlessAborted);
        return result;
      } finally {
        open.delete(name);
        await trx.rollback();
      }
    },
    stop: () => service.stop(),
  };
}

/** An answer may survive that a statement of it failed: then there is nothing left to check. */
function unlessAborted(error: { code?: string }): void {
  if (error.code !== '25P02') throw error;
}

/** Everything that the service asks of its database goes over the transaction in whose name a request came. */
function useTransaction(db: Knex, current: AsyncLocalStorage<Knex.Transaction>): void {
  const { client } = db;
  const acquire = client.acquireConnection.bind(client);
  const release = client.releaseConnection.bind(client);
  const begin = db.transaction.bind(db) as (...parts: any[]) => any;
  client.acquireConnection = () => current.getStore()?.client.acquireConnection() ?? acquire();
  client.releaseConnection = async (connection: unknown) => {
    const trx = current.getStore();
    if (!trx || (await trx.client.acquireConnection()) !== connection) return release(connection);
  };
  Object.defineProperty(db, 'transaction', {
    value: (...parts: any[]) => {
      const trx = current.getStore();
      return trx ? (trx.transaction as any)(...parts) : begin(...parts);
    },
  });
}

type Server = Services['http']['server'];

function runInside(
  server: Server,
  transactionOf: (request: IncomingMessage) => Knex.Transaction | undefined,
  current: AsyncLocalStorage<Knex.Transaction>,
): void {
  const [serve] = server.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    const trx = transactionOf(request);
    if (trx) current.run(trx, () => serve!(request, response));
    else serve!(request, response);
  });
}

type Asked = Pick<TestService, 'url' | 'services'>;

/** On a machine that is too busy to reach its own database in time the question is asked again: that is no answer to it. */
const asking =
  (service: Asked, more: Record<string, string>): Ask =>
  async ({ token, headers, ...question }) => {
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    for (let again = 3; ; again--) {
      const answer = await ask(service, { ...question, authorization, headers: { ...more, ...headers } });
      if (answer.status !== 503 || again === 0) return answer;
      await reachable(service.services.bus);
    }
  };

const reachable = (bus: Services['bus']) =>
  new Promise<void>((resolve) => {
    if (bus.available) return resolve();
    const end = bus.onAvailable((available) => {
      if (!available) return;
      end();
      resolve();
    });
  });

/** A token for the user, as good as one handed out; used a moment ago, so that using it writes nothing. */
export async function tokenFor(db: Knex, user: { id: number }, scope = 'write'): Promise<string> {
  const token = `svc_${randomUUID()}`;
  await db('tokens').insert({
    user_id: user.id,
    token_hash: tokenHash(token),
    scope,
    expires: '2100-01-01',
    last_used: db.raw(`now() + interval '1 hour'`),
  });
  return token;
}
