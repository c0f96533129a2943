import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import type { Plugin } from '../plugin.ts';
import type { Shown } from '../resource.ts';
import { findHome } from './find-home.ts';

export interface CoreOptions {
  /** those that are on, in this order; each after those that it requires */
  plugins?: readonly Plugin[];
  /** as an operator would set it: `{ TAPLINE_MAX_FORKS: '5', LOG_LEVEL: 'debug', TAPLINE_PLUGINS: 'recommendations' }` */
  env?: Readonly<Record<string, string>>;
  /** jobs are run by the real engine; without it they stay `pending`, and nothing but the queue's tasks is carried out */
  engine?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** parsed when it is JSON, else the text; a test says by its assertions what it is */
  body: any;
  text: string;
}

export interface Asked {
  /** sent as it is when it is text or bytes, else as JSON */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Asks in the name of one user. Paths without a leading slash are below `/api/v2/`. Every status is an answer. */
export interface Client {
  request(method: string, path: string, asked?: Asked): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  put(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** A running service of its own: database, data folder and port are nobody else's. Everything that is made belongs to `Default`. */
export interface Core {
  url: string;
  /** on its database, with the rights of the service */
  db: Knex;
  /** the superuser */
  admin: Client;
  /** a user that `makeUser` made, by name; `admin`; null: somebody without credentials */
  as(username: string | null): Client;
  makeUser(username: string, columns?: object): Promise<Shown>;
  /** gives a role on a record, by its `url`: `grant('ann', template.url, 'execute_role')` */
  grant(username: string, record: string, role: string): Promise<void>;
  /** with these hosts, each of which is this machine */
  makeInventory(columns?: { name?: string; hosts?: readonly string[] } & Record<string, unknown>): Promise<Shown>;
  /** a folder with these files: `{ 'site.yml': '- hosts: all …' }` */
  makeProject(files: Readonly<Record<string, string>>, columns?: object): Promise<Shown>;
  /**
   * With a project and an inventory of one host unless `project` and `inventory` are given. `playbook` is the text of one,
   * with `project` the name of a file of it.
   */
  makeTemplate(columns?: { playbook?: string } & Record<string, unknown>): Promise<Shown>;
  /**
   * Waits for the end of a run, all its events stored: the run as its detail shows it.
   * @throws Error at once without `engine`
   */
  ended(run: number): Promise<Shown>;
  /** Ends it and removes all that was its own. */
  stop(): Promise<void>;
}

/** What a checkout has to have. */
const entry = ['core', 'testing', 'start-core.ts'];
const oldestNode = 24;

/**
 * Starts the service with plugins on a database of its own. It is that of a checkout of Tapline: the one that `TAPLINE_HOME`
 * names, else the nearest file `.tapline-home` above the working directory, which `plugins new` writes. The first call
 * starts an embedded Postgres for the whole process, which ends with it; `TEST_DATABASE_URL` names another server.
 * @throws Error where there is no such checkout, its packages are missing, or Node is too old
 */
export async function startCore(options: CoreOptions = {}): Promise<Core> {
  const home = findHome(entry);
  if (Number(process.versions.node.split('.')[0]) < oldestNode)
    throw new Error(
      `startCore runs the service in this process, which needs Node ${oldestNode}; this is ${process.versions.node}. One is in ${join(home, 'node_modules', '.bin')}: put that first on PATH.`,
    );
  // the service is loaded in half the time
  if (!process.env.NODE_COMPILE_CACHE) module.enableCompileCache(join(home, '.cache', 'compile'));
  const { startCore: start } = (await import(pathToFileURL(join(home, ...entry)).href).catch((error: unknown) => {
    throw new Error(`The service in ${home} cannot be loaded: "npm run setup" there installs what it needs.`, {
      cause: error,
    });
  })) as { startCore(options: CoreOptions): Promise<Core> };
  return start(options);
}
