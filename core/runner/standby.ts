import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Log } from '../observe/log.ts';
import { interpreter, pythonArguments } from './wrapper-python.ts';

const begin = 'import standby; standby.main(int(sys.argv[1]))';
/** After stdin, stdout and stderr. */
const firstChannel = 3;
/** Each costs a descriptor on both sides, and the process is started anew when most of them are used. */
const jobsPerProcess = 24;
const fewest = 8;
/** A start costs 30 ms of a processor, which the job that was just started needs itself. */
const pauseMs = 1000;

/**
 * One process that waits for jobs (engine/standby.py), so that a job's wrapper is there as soon as it is told what to
 * do. A convenience only: without it, and when it is gone, wrappers are started one by one.
 */
export class Standby {
  readonly #log: Pick<Log, 'warn'>;
  #channels: Socket[] = [];
  #python: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log;
  }

  /** Wants a process soon, and from now on one whenever few sockets are left. */
  keep(python: string, afterMs = pauseMs): void {
    if (python !== this.#python) this.#drop();
    this.#python = python;
    if (this.#channels.length > fewest || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#start(python);
    }, afterMs);
    this.#timer.unref();
  }

  /** Undefined when none stands by, or only one of another interpreter. */
  take(python: string): Duplex | undefined {
    return python === this.#python ? this.#channels.shift()?.ref() : undefined;
  }

  /** The process ends by itself, jobs go on. */
  stop(): void {
    this.#drop();
    this.#python = undefined;
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const channel of this.#channels.splice(0)) channel.destroy();
  }

  #start(python: string): void {
    const began = performance.now();
    const child = spawn(interpreter(python), pythonArguments(begin, [String(jobsPerProcess)]), {
      cwd: '/',
      env: { LANG: 'C.UTF-8' },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', ...Array.from({ length: jobsPerProcess }, () => 'pipe' as const)],
    });
    child.unref();
    // without any where no descriptors are left
    const own = (child.stdio ?? []).slice(firstChannel) as unknown as Socket[];
    for (const channel of own) channel.on('error', () => undefined).unref();
    this.#channels.push(...own);
    const gone = (reason: string | number | null) => {
      const left = this.#channels.filter((channel) => own.includes(channel));
      if (!left.length) return;
      this.#channels = this.#channels.filter((channel) => !left.includes(channel));
      for (const channel of left) channel.destroy();
      this.#log.warn(
        { reason },
        'the process that waits for jobs is gone; their starts take a little longer until there is another',
      );
      // one that never comes up is tried again with the next job only
      if (performance.now() - began > pauseMs) this.keep(python);
    };
    child.on('error', (error) => gone(error.message));
    child.on('exit', (code, signal) => gone(signal ?? code));
  }
}
