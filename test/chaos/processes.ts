import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const root = new URL('../..', import.meta.url).pathname;

/** One node of the service as a process of its own, restarted whenever it has been killed. */
export class Node {
  readonly role: string;
  readonly env: Record<string, string>;
  child: ChildProcess | undefined;
  /** everything it said, on standard output and standard error */
  said = '';

  constructor(role: string, env: Record<string, string>) {
    this.role = role;
    this.env = env;
  }

  start(): void {
    this.child = spawn(process.execPath, ['core/main.js', 'serve'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '/',
        LOG_LEVEL: 'warn',
        ...this.env,
        TAPLINE_ROLES: this.role,
        TAPLINE_NODE_NAME: `node-${this.role.replace(',', '-')}`,
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (text) => this.#hear(text));
  }

  #hear(text: Buffer): void {
    this.said += text.toString();
    if (process.env.CHAOS_VERBOSE) process.stderr.write(text);
  }

  get alive(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves to whether there was something to kill. */
  async kill(): Promise<boolean> {
    if (!this.child || !this.alive) return false;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    return true;
  }

  async stop(): Promise<void> {
    if (!this.child || !this.alive) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await Promise.race([ended, delay(20_000)]);
    await this.kill();
  }
}

export interface Found {
  pid: number;
  command: string;
}

/** Processes that name a folder in command line or environment, or work in it: the wrappers, engines and tasks of the jobs below it. */
export function processesOf(folder: string): Found[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    const command = about(entry, 'cmdline');
    const named =
      command.includes(folder) || about(entry, 'environ').includes(folder) || placeOf(entry).startsWith(folder);
    return named ? [{ pid: Number(entry), command }] : [];
  });
}

function about(pid: string, what: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it ended while we looked, or is somebody else's
  }
}

function placeOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** The wrapper of a running job and the job's id: its folder is where it works. */
export function wrappers(jobs: string): { pid: number; run: number }[] {
  return processesOf(jobs).flatMap(({ pid, command }) => {
    const run = new RegExp(`^${jobs}/(\\d+)$`).exec(placeOf(String(pid)))?.[1];
    return run && /wrapper|standby/.test(command) ? [{ pid, run: Number(run) }] : [];
  });
}
