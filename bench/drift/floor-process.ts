import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { createDb } from '@tapline/core/db/database.ts';
import { pino } from 'pino';
import { floor } from './floor.ts';
import type { Pair } from './hosts.ts';

/**
 * The floor in a process of its own that steps back for others, as drift's thread does: what even that costs those who ask the
 * service meanwhile, since they share its database and processors.
 */
export class FloorProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(databaseUrl: string): Promise<FloorProcess> {
    const child = fork(new URL(import.meta.url).pathname, [databaseUrl]);
    await once(child, 'message');
    return new FloorProcess(child);
  }

  async run(pairs: readonly Pair[]): Promise<void> {
    const done = once(this.#child, 'message');
    this.#child.send(pairs);
    await done;
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}

if (import.meta.main) {
  setPriority(10);
  const db = createDb({ config: { databaseUrl: process.argv[2]! }, log: pino({ level: 'silent' }) });
  await db.raw('select 1');
  process.on('message', (pairs: Pair[]) => void floor(db, pairs).then((took) => process.send!(took)));
  process.send!('ready');
}
