import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import WebSocket from 'ws';
import { freePort } from '../../demo/free-port.ts';
import { within } from './progress.ts';

export const root = new URL('../..', import.meta.url).pathname;

export { freePort };

/** The real service as its own process on a throw-away data folder, driven over HTTP only. */
export class Service {
  readonly data: string;
  readonly env: Record<string, string>;
  process: ChildProcess | undefined;
  port = 0;
  http!: Pool;
  private readonly authorization = `Basic ${Buffer.from('admin:bench-secret').toString('base64')}`;

  constructor(env: Record<string, string> = {}, data = mkdtempSync(join(tmpdir(), 'tapline-bench-'))) {
    this.data = data;
    this.env = env;
  }

  /** Milliseconds from the start of the process to its first answer to ping. */
  async start(): Promise<number> {
    this.port ||= await freePort();
    this.http = new Pool(`http://127.0.0.1:${this.port}`, { connections: 16 });
    const began = performance.now();
    this.process = spawn(process.execPath, ['core/main.js', 'serve'], {
      cwd: root,
      stdio: ['ignore', 'ignore', process.env.BENCH_VERBOSE ? 'inherit' : 'ignore'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/',
        PORT: String(this.port),
        TAPLINE_DATA: this.data,
        ADMIN_PASSWORD: 'bench-secret',
        LOG_LEVEL: 'warn',
        ...this.env,
      },
    });
    const ended = new AbortController();
    this.process.once('exit', () => ended.abort());
    for (;;) {
      if (ended.signal.aborted) throw new Error(`the service ended with code ${this.process.exitCode}`);
      if (await this.answers()) return performance.now() - began;
      await delay(5);
    }
  }

  private async answers(): Promise<boolean> {
    try {
      const reply = await this.http.request({ method: 'GET', path: '/api/v2/ping/' });
      await reply.body.dump();
      return reply.statusCode === 200;
    } catch {
      return false;
    }
  }

  async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<any> {
    const reply = await this.http.request({
      method,
      path: path.startsWith('/') ? path : `/api/v2/${path}`,
      headers: { authorization: this.authorization, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 400) throw new Error(`${method} ${path}: ${reply.statusCode} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** The bytes of an answer, unread. */
  async download(path: string): Promise<Uint8Array> {
    const headers = { authorization: this.authorization };
    const { statusCode, body } = await this.http.request({ method: 'GET', path: `/api/v2/${path}`, headers });
    if (statusCode >= 400) throw new Error(`GET ${path}: ${statusCode} ${(await body.text()).slice(0, 500)}`);
    return body.bytes();
  }

  /** Resolves with the job's status once the service has announced its end. */
  async watcher(): Promise<{ ended(run: number): Promise<string>; close(): void }> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/websocket/`, {
      headers: { authorization: this.authorization },
    });
    const done = new Map<number, string>();
    const waiting = new Map<number, (status: string) => void>();
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { unified_job_id?: number; status?: string };
      const { unified_job_id: run, status } = message;
      if (run === undefined || !['successful', 'failed', 'error', 'canceled'].includes(status ?? '')) return;
      done.set(run, status ?? '');
      waiting.get(run)?.(status ?? '');
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ groups: { jobs: ['status_changed'] } }));
    await delay(200);
    return {
      ended: async (run) =>
        done.get(run) ?? within(300, `the end of job ${run}`, new Promise((resolve) => waiting.set(run, resolve))),
      close: () => socket.close(),
    };
  }

  /** Stops the process and, unless told otherwise, removes its data. */
  async stop({ keep = false } = {}): Promise<void> {
    await this.http.destroy();
    if (this.process && this.process.exitCode === null) {
      const ended = once(this.process, 'exit');
      this.process.kill('SIGTERM');
      await ended;
    }
    if (!keep) rmSync(this.data, { recursive: true, force: true });
  }
}
