import type { Services } from '../../core/app/container.ts';
import { basic, fromRoot } from '../../core/testing/client.ts';
import type { TestDatabase } from '../../core/testing/database.ts';
import { adminPassword, type Given, startThrowAway } from '../../core/testing/throw-away.ts';
import { type Answer, ask, type Service } from './client.ts';

export { adminPassword, type Given };

export interface RequestOptions {
  body?: unknown;
  /** `user:password`, a token, or null for none; the administrator unless given */
  auth?: string | null;
  headers?: Record<string, string>;
}

export interface TestService {
  url: string;
  dataDir: string;
  services: Services;
  database: TestDatabase;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  stop(): Promise<void>;
}

/** A throw-away service whose every answer is held against its description. `env` as an operator would set it. */
export async function startService(env: Record<string, string> = {}, given: Given = {}): Promise<TestService> {
  const { TEST_LOG: LOG_LEVEL = 'silent', ENGINE_COMMAND = '' } = process.env;
  const { running, database, dataDir, stop } = await startThrowAway({ LOG_LEVEL, ENGINE_COMMAND, ...env }, given);
  const request = createRequest(running);
  return {
    url: running.url,
    dataDir,
    services: running.services,
    database,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body = {}, options = {}) => request('POST', path, { body, ...options }),
    stop,
  };
}

/** Paths without a leading slash are below /api/v2/. */
export const createRequest =
  (service: Service): TestService['request'] =>
  (method, path, { body, auth = `admin:${adminPassword}`, headers } = {}) =>
    ask(service, {
      method,
      path: fromRoot(path),
      authorization: auth === null ? undefined : authorization(auth),
      body,
      headers,
    });

const authorization = (auth: string) => {
  const [username, ...password] = auth.split(':');
  return password.length ? basic(username!, password.join(':')) : `Bearer ${auth}`;
};
