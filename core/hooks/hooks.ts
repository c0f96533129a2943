import { AsyncParallelHook, AsyncSeriesBailHook } from 'tapable';
import type {
  BeforeStartOptions,
  Denial,
  FactsUpdate,
  FinishedRun,
  Launch,
  StatusChange,
  TapOptions,
} from '@tapline/plugin-sdk';
import { stages } from '@tapline/plugin-sdk';
import { guard, type TapRecord } from './guard.ts';

export interface QueuedPayloads {
  onStatusChange: StatusChange;
  afterFinish: FinishedRun;
  onFactsUpdated: FactsUpdate;
}
export type QueuedHook = keyof QueuedPayloads;

type QueuedTap = TapOptions & { run: (payload: any) => unknown };

export interface HooksDeps {
  log: { warn(fields: object, text: string): void };
  /** told of every tap that ran */
  observe?: (record: TapRecord) => void;
}

const unavailable = (name: string): Denial => ({
  status: 403,
  body: {
    detail: `${name} could not decide about this launch; launch refused by its fail mode.`,
    reasons: [`${name} failed or was too late.`],
  },
});

/**
 * The four hooks. `beforeStart` runs its taps one after the other by stage until one denies.
 * The others run from the queue, one task per tap: a hook of that single tap is called, so that
 * interceptors apply there too and a failing tap is retried alone.
 */
export class Hooks {
  readonly #deps: HooksDeps;
  readonly #beforeStart = new AsyncSeriesBailHook<[Launch], Denial | undefined>(['launch'], 'beforeStart');
  readonly #queued: Record<QueuedHook, Map<string, QueuedTap>> = {
    onStatusChange: new Map(),
    afterFinish: new Map(),
    onFactsUpdated: new Map(),
  };
  readonly #interceptors: object[] = [];
  #taps = 0;

  constructor(deps: HooksDeps) {
    this.#deps = deps;
  }

  /** Only `undefined` continues a bail hook, so whatever else a tap returns is judged here. */
  beforeStart(options: BeforeStartOptions, tap: (launch: Launch) => unknown): void {
    if (options.failMode !== 'allow' && options.failMode !== 'deny') {
      throw new Error(`beforeStart tap ${options.name}: failMode must be 'allow' or 'deny'`);
    }
    this.#taps += 1;
    const stage = options.stage ?? stages.default;
    this.#beforeStart.tapPromise({ name: options.name, stage }, (launch) => this.#decide(options, tap, launch));
  }

  on<H extends QueuedHook>(hook: H, options: TapOptions, tap: (payload: QueuedPayloads[H]) => unknown): void {
    if (this.#queued[hook].has(options.name)) {
      throw new Error(`${hook} tap ${options.name} exists already: names are unique`);
    }
    this.#queued[hook].set(options.name, { ...options, run: tap });
  }

  intercept(interceptor: object): void {
    this.#interceptors.push(interceptor);
    this.#beforeStart.intercept(interceptor as never);
  }

  /** `isUsed()` is true with an interceptor alone, so taps are counted. */
  decidesLaunches(): boolean {
    return this.#taps > 0;
  }

  tapsOf(hook: QueuedHook): string[] {
    return [...this.#queued[hook].keys()];
  }

  decideLaunch(launch: Launch): Promise<Denial | undefined> {
    return this.#beforeStart.promise(launch);
  }

  /** Called by the queue. @throws what the tap threw, so that the queue retries this tap alone */
  async runTap(hook: QueuedHook, name: string, payload: unknown): Promise<void> {
    const tap = this.#queued[hook].get(name);
    if (!tap) {
      this.#deps.log.warn({ hook, tap: name }, `${hook} tap ${name} is not there any more; its task is dropped`);
      return;
    }
    const single = new AsyncParallelHook<[unknown]>(['payload'], hook);
    for (const interceptor of this.#interceptors) single.intercept(interceptor as never);
    const { promise: outcome, resolve } = Promise.withResolvers<TapRecord>();
    single.tapPromise(name, async (given) => resolve((await guard(hook, tap, () => tap.run(given))).record));
    await single.promise(payload);
    const record = await outcome;
    this.#note(record);
    if (record.result === 'timed out') throw new Error(`${hook} tap ${name} timed out`);
    if (record.result === 'threw') throw record.error;
  }

  #note(record: TapRecord): void {
    const { log, observe } = this.#deps;
    observe?.(record);
    if (record.result !== 'threw' && record.result !== 'timed out') return;
    log.warn({ ...record, err: record.error }, `${record.hook} tap ${record.tap} ${record.result}`);
  }

  async #decide(
    options: BeforeStartOptions,
    tap: (launch: Launch) => unknown,
    launch: Launch,
  ): Promise<Denial | undefined> {
    const { value, record } = await guard('beforeStart', options, () => tap(launch));
    const denial = isDenial(value) ? value : undefined;
    this.#note(denial ? { ...record, result: 'denied' } : record);
    if (denial) return denial;
    if (record.result === 'ok') return undefined;
    if (options.failMode === 'deny') return unavailable(options.name);
    const what = record.result === 'threw' ? 'failed' : 'was too late';
    launch.explain(`${options.name} ${what}; launch allowed by its fail mode.`);
    return undefined;
  }
}

export const createHooks = (deps: HooksDeps): Hooks => new Hooks(deps);

const isDenial = (value: unknown): value is Denial =>
  typeof value === 'object' &&
  value !== null &&
  Number.isInteger((value as Denial).status) &&
  typeof (value as Denial).body === 'object';
