import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { serverUser } from '../../core/db/postgres-binaries.ts';
import { basic, clientOf } from '../../core/testing/client.ts';
import { freePort } from '../../demo/free-port.ts';
import { createTestDatabase } from './database.ts';
import { until } from './until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const password = 'apart-admin-password';

export interface Apart {
  dataDir: string;
  /** standard output and standard error so far */
  said(): string;
  /** whose processes the service's are */
  uid: number;
  get(path: string): Promise<any>;
  /** The answer's body. @throws where it is no success */
  post(path: string, body?: object): Promise<any>;
  patch(path: string, body: object): Promise<any>;
  /** A run of any kind that has ended, by the path of its list. */
  ended(list: string, id: number): Promise<any>;
  /** A manual project of these files. */
  project(files: Record<string, string>): Promise<number>;
  stop(): Promise<void>;
}

export interface Machine {
  /** files that lie over the machine's own, by the path that they cover */
  covered: Record<string, string>;
  /** not as root, but as the user who may reach the tests' database */
  unprivileged?: boolean;
  env?: Record<string, string>;
}

/** Covers files, then becomes the service: `file path … -- command …`. */
const script = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit 1; shift 2; done; shift; exec "$@"';

/** The whole service as a process of its own on a machine other than this one: its namespace ends with it, and nothing outside changes. */
export async function startApart({ covered, unprivileged = false, env = {} }: Machine): Promise<Apart> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-apart-'));
  const { uid = 0, gid = 0 } = unprivileged ? serverUser() : {};
  chmodSync(dataDir, unprivileged ? 0o700 : 0o711);
  chownSync(dataDir, uid, gid);
  const port = await freePort();
  const identity = unprivileged ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'] : [];
  const mounts = Object.entries(covered).flatMap(([path, file]) => [file, path]);
  const command = [...identity, process.execPath, 'core/main.js', 'serve'];
  const child = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', ...mounts, '--', ...command],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: dataDir,
        LOG_LEVEL: 'warn',
        PORT: String(port),
        DATABASE_URL: database.url,
        TAPLINE_DATA: dataDir,
        ADMIN_PASSWORD: password,
        ...env,
      },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => void (said += text));
  const ended = once(child, 'exit');
  const client = clientOf(`http://127.0.0.1:${port}`, basic('admin', password));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await database.drop();
    removeFolder(dataDir);
  };
  const get = async (path: string) => (await client.get(path)).body;
  const write = async (method: string, path: string, body: object) => {
    const answer = await client.request(method, path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const post = (path: string, body: object = {}) => write('POST', path, body);
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(said);
      return (await client.get('/readyz')).status === 200;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dataDir,
    said: () => said,
    uid,
    get,
    post,
    patch: (path, body) => write('PATCH', path, body),
    stop,
    ended: (list, id) =>
      until(
        async () => {
          const run = await get(`${list}/${id}/`);
          return run.event_processing_finished && run;
        },
        60_000,
        `the end of ${list}/${id}: ${said}`,
      ),
    async project(files) {
      const folder = join(dataDir, 'projects', 'apart');
      mkdirSync(folder, { recursive: true });
      chownSync(folder, uid, gid);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      return (await post('projects/', { name: 'apart', organization: 1, local_path: 'apart' })).id;
    },
  };
}
