import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

const root = new URL('../..', import.meta.url).pathname;

/** One node of the service as a process of its own, restarted whenever it has been killed. */
export class Node {
  readonly name: string;
  readonly roles: string;
  readonly env: Record<string, string>;
  child: ChildProcess | undefined;
  /** everything it said, on standard output and standard error */
  said = '';

  constructor(roles: string, env: Record<string, string>, name = `node-${roles.replace(',', '-')}`) {
    this.roles = roles;
    this.env = env;
    this.name = name;
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
        TAPLINE_ROLES: this.roles,
        TAPLINE_NODE_NAME: this.name,
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', (text) => this.#hear(text));
  }

  #hear(text: Buffer): void {
    this.said += text.toString();
    if (process.env.CHAOS_VERBOSE) process.stderr.write(text);
  }

  get pid(): number | undefined {
    return this.alive ? this.child?.pid : undefined;
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

  /** Asks it to end; resolves when it has, or after so long. */
  async end(patienceMs: number): Promise<void> {
    if (!this.child || !this.alive) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await Promise.race([ended, delay(patienceMs)]);
  }

  async stop(): Promise<void> {
    await this.end(120_000);
    await this.kill();
  }
}
