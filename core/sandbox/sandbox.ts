import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError, type SandboxLimits, type SandboxService } from '@tapline/plugin-sdk';
import type { Log } from '../observe/log.ts';
import type { Batch, Tried } from './isolate/batch.ts';
import type { Inspection } from './isolate/inspect.ts';
import type { Answer, Question } from './protocol.ts';

const defaultTimeoutMs = 1000;
const longestTimeoutMs = 10_000;
const defaultOutput = 262_144;
const largestContext = 4_194_304;
const largestSource = 65_536;
/** Beyond the isolate's own limit: for what it cannot stop (a huge allocation), and for the start of the process. */
const graceMs = 3_000;
/** A process that is just being started takes its time on a busy machine, which says nothing of what it is asked. */
const startMs = 30_000;
const mostWaiting = 1_000;
/** The process is ended when nobody has asked it anything for so long. */
const idleMs = 300_000;

interface Waiting {
  question: Question;
  resolve(answer: Answer): void;
}

export interface Sandbox extends SandboxService {
  /** Many templates at once, under one set of limits. What is wrong with one is its answer. @throws SandboxError for all of them */
  renderEach(batch: Batch, limits?: SandboxLimits): Promise<Tried<string>[]>;
  /** What each of the templates reads, or what is wrong with it; none is run. */
  inspectEach(templates: readonly string[], limits?: SandboxLimits): Promise<Tried<Inspection>[]>;
  stop(): Promise<void>;
}

interface SandboxDeps {
  log: Pick<Log, 'warn'>;
  /** whom the process becomes where the service is root: somebody whom nothing belongs to */
  uid?: number;
}

/**
 * Expressions and templates of users: evaluated one after the other by a process of their own, in an isolate with limits on
 * time and memory. A process that does not answer is killed and replaced; whatever goes wrong, the caller gets an error.
 */
export function createSandbox({ log, uid }: SandboxDeps): Sandbox {
  const child = new SandboxProcess(log, process.getuid?.() === 0 ? uid : undefined);
  let ids = 0;

  async function ask(kind: Question['kind'], source: string, given: object, limits: SandboxLimits = {}) {
    const context = JSON.stringify(given) ?? '{}';
    if (source.length > largestSource)
      throw new SandboxError('syntax', `it is longer than ${largestSource} characters`);
    if (context.length > largestContext)
      throw new SandboxError('memory', `its context is longer than ${largestContext} characters`);
    const { timeoutMs = defaultTimeoutMs, maxOutput = defaultOutput } = limits;
    const question = { id: ++ids, kind, source, context, maxOutput, timeoutMs: Math.min(timeoutMs, longestTimeoutMs) };
    const { value, error } = await child.ask(question);
    if (error) throw new SandboxError(error.kind, error.message);
    return JSON.parse(value ?? 'null');
  }
  return {
    evaluate: (expression, context, limits) => ask('evaluate', expression, context, limits),
    render: (template, context, limits) => ask('render', template, context, limits),
    evaluateEach: ({ expressions, contexts }, limits) =>
      ask(
        'evaluateEach',
        '',
        { templates: expressions.map(({ expression, context }) => ({ template: expression, context })), contexts },
        limits,
      ),
    renderEach: (batch, limits) => ask('renderEach', '', batch, limits),
    inspectEach: (templates, limits) =>
      ask(
        'inspectEach',
        '',
        { templates: templates.map((template) => ({ template, context: 0 })), contexts: [] },
        limits,
      ),
    stop: () => child.stop(),
  };
}

const unavailable = (message: string) => ({ kind: 'unavailable', message }) as const;
const stopping = unavailable('the service is stopping');
const tookTooLong = { kind: 'timeout', message: 'it took too long' } as const;
const tooBusy = unavailable('the machine was too busy to evaluate it');
/** How a process ends that has no more memory. Other signals come from outside. */
const ownEnds: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS'];

/** Milliseconds of processor time that a process has had; undefined where nobody tells. */
function processorMs(pid: number | undefined): number | undefined {
  try {
    const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ') as [string, string];
    const [user, system] = fields.split(' ').slice(11);
    // in hundredths of a second
    return (Number(user) + Number(system)) * 10;
  } catch {
    return undefined;
  }
}

class SandboxProcess {
  readonly #log: Pick<Log, 'warn'>;
  readonly #uid: number | undefined;
  readonly #waiting: Waiting[] = [];
  #process: ChildProcess | undefined;
  #ready = false;
  #asked: Waiting | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** the processor time of the process when it was asked */
  #usedMs: number | undefined;
  #stopped = false;

  constructor(log: Pick<Log, 'warn'>, uid: number | undefined) {
    this.#log = log;
    this.#uid = uid;
  }

  ask(question: Question): Promise<Answer> {
    const { id } = question;
    if (this.#stopped) return Promise.resolve({ id, error: stopping });
    if (this.#waiting.length >= mostWaiting)
      return Promise.resolve({ id, error: unavailable('too much is waiting to be evaluated') });
    return new Promise((resolve) => {
      this.#waiting.push({ question, resolve });
      this.#next();
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const process = this.#process;
    for (const { question, resolve } of this.#waiting.splice(0)) resolve({ id: question.id, error: stopping });
    this.#end(stopping);
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    process.ref();
    await new Promise((resolve) => process.once('exit', resolve));
  }

  #next(): void {
    if (this.#asked) return;
    clearTimeout(this.#deadline);
    this.#asked = this.#waiting.shift();
    if (!this.#asked) {
      this.#deadline = setTimeout(() => this.#end(), idleMs).unref();
      return;
    }
    const { question } = this.#asked;
    const process = (this.#process ??= this.#start());
    process.send(question, (error) => {
      if (error && process === this.#process) this.#end(unavailable('the evaluating process was ended'));
    });
    this.#expect(this.#ready ? graceMs : startMs);
  }

  /** An answer, within the time that the question has and this much more. */
  #expect(moreMs: number): void {
    if (!this.#asked) return;
    clearTimeout(this.#deadline);
    this.#usedMs = processorMs(this.#process?.pid);
    const { timeoutMs } = this.#asked.question;
    this.#deadline = setTimeout(() => {
      this.#log.warn({ timeoutMs }, 'an expression did not end and its process was killed');
      this.#end(this.#late(timeoutMs));
    }, timeoutMs + moreMs);
  }

  /** Whose fault it is that the time is over: a text that had hardly any of it says nothing of itself. */
  #late(timeoutMs: number): NonNullable<Answer['error']> {
    if (!this.#ready) return unavailable('the evaluating process did not start');
    const now = processorMs(this.#process?.pid);
    const idle = this.#usedMs !== undefined && now !== undefined && now - this.#usedMs < timeoutMs / 4;
    return idle ? tooBusy : tookTooLong;
  }

  #answered({ error, ...answer }: Answer): void {
    const late = error?.kind === 'timeout' && this.#asked;
    this.#answer({ ...answer, error: late ? this.#late(late.question.timeoutMs) : error });
  }

  #start(): ChildProcess {
    const identity = this.#uid === undefined ? [] : [String(this.#uid)];
    const process = fork(join(import.meta.dirname, 'child.ts'), identity, {
      cwd: '/',
      // nothing of the service's own environment: it holds secrets
      env: {},
      execArgv: ['--no-node-snapshot', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'json',
    });
    this.#ready = false;
    process.on('message', (message: Answer | { ready: true }) => {
      if (process !== this.#process) return;
      if ('ready' in message) {
        this.#ready = true;
        this.#expect(graceMs);
      } else if (message.id === this.#asked?.question.id) this.#answered(message);
    });
    process.once('error', () => process === this.#process && this.#end(unavailable('no process could be started')));
    process.once('exit', (code, signal) => {
      if (process !== this.#process) return;
      const own = this.#ready && (code || ownEnds.includes(signal));
      this.#end(
        own
          ? { kind: 'memory', message: 'the evaluating process ended: it probably needed too much memory' }
          : unavailable('the evaluating process was ended'),
      );
    });
    process.channel?.unref();
    process.unref();
    return process;
  }

  #answer(answer: Answer): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.resolve(answer);
    this.#next();
  }

  /** Whatever is asked gets the error; at the end of a long rest nothing is. */
  #end(error: NonNullable<Answer['error']> = stopping): void {
    this.#kill();
    if (this.#asked) this.#answer({ id: this.#asked.question.id, error });
  }

  #kill(): void {
    clearTimeout(this.#deadline);
    const process = this.#process;
    this.#process = undefined;
    if (process && process.exitCode === null) process.kill('SIGKILL');
  }
}
