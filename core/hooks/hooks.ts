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
import { readDecision } from './denial.ts';
import { Explanation } from './explanation.ts';
import { guard, type TapRecord } from './guard.ts';
import { freeze, snapshot } from './snapshot.ts';
import { type HookName, hookNames, makeTap, type QueuedHook, type Tap } from './tap.ts';

export type { HookName, QueuedHook } from './tap.ts';

export interface QueuedPayloads {
  onStatusChange: StatusChange;
  afterFinish: FinishedRun;
  onFactsUpdated: FactsUpdate;
}

export interface HooksDeps {
  log: { warn(fields: object, text: string): void };
  /** told of every tap that ran */
  observe?: (record: TapRecord) => void;
}

/** What taps decide about; core gives the facts, each tap gets an `explain` and a signal of its own. */
export type LaunchFacts = Omit<Launch, 'explain' | 'signal'>;

export interface LaunchDecision {
  denial: Denial | undefined;
  /** for the run's `job_explanation` */
  lines: readonly string[];
}

export interface QueuedCall {
  attempt: number;
  signal?: AbortSignal;
}

/** What a queued tap's own hook is called with beside the payload. */
interface Delivery extends QueuedCall {
  done: (record: TapRecord) => void;
}

interface QueuedTap {
  tap: Tap;
  hook: AsyncParallelHook<[unknown, Delivery]>;
}

/**
 * The four hooks. `beforeStart` runs its taps one after the other by stage until one denies.
 * The others run from the queue, one task per tap: a hook of that single tap is called, so that
 * interceptors apply there too and a failing tap is retried alone.
 */
export class Hooks {
  readonly #deps: HooksDeps;
  readonly #beforeStart = new AsyncSeriesBailHook<[LaunchFacts, Explanation], Denial | undefined>(
    ['launch', 'explanation'],
    'beforeStart',
  );
  readonly #deciding: Tap[] = [];
  readonly #queued = new Map<string, QueuedTap>();
  readonly #interceptors: object[] = [];

  constructor(deps: HooksDeps) {
    this.#deps = deps;
  }

  /** Options are named `<plugin>:<tap>`. @throws Error for options that cannot work or a name that is taken */
  beforeStart(options: BeforeStartOptions, run: (launch: Launch) => unknown): void {
    const tap = makeTap('beforeStart', options, run);
    if (this.#deciding.some(({ label }) => label === tap.label)) throw taken(tap);
    this.#deciding.push(tap);
    this.#beforeStart.tapPromise({ name: tap.label, stage: tap.stage }, (launch, explanation) =>
      this.#decide(tap, launch, explanation),
    );
  }

  /** As above; a tap's name is unique among all hooks of the queue, since its tasks carry it. */
  on<H extends QueuedHook>(
    name: H,
    options: TapOptions,
    run: (payload: QueuedPayloads[H], context: any) => unknown,
  ): void {
    const tap = makeTap(name, options, run);
    if (this.#queued.has(tap.label)) throw taken(tap);
    const hook = new AsyncParallelHook<[unknown, Delivery]>(['payload', 'delivery'], name);
    for (const interceptor of this.#interceptors) hook.intercept(interceptor as never);
    hook.tapPromise({ name: tap.label, stage: tap.stage }, async (payload, { attempt, signal, done }) => {
      const call = { run: runOf(payload), attempt, ...(signal ? { signal } : {}) };
      done((await guard(tap, call, (late) => tap.run(payload, { signal: late, attempt }))).record);
    });
    this.#queued.set(tap.label, { tap, hook });
  }

  /** For spans use `register`: it is given every tap, and the others are never told of an end. */
  intercept(interceptor: object): void {
    this.#interceptors.push(interceptor);
    this.#beforeStart.intercept(interceptor as never);
    for (const { hook } of this.#queued.values()) hook.intercept(interceptor as never);
  }

  /** `isUsed()` is true with an interceptor alone, so taps are counted. */
  decidesLaunches(): boolean {
    return this.#deciding.length > 0;
  }

  /** Labels of the taps on a queued hook. */
  tapsOf(hook: QueuedHook): string[] {
    return this.#queuedTaps(hook).map(({ label }) => label);
  }

  /** All hooks with their taps in the order in which they run. */
  list(): { hook: HookName; taps: readonly Tap[] }[] {
    return hookNames.map((hook) => ({
      hook,
      taps: hook === 'beforeStart' ? this.#deciding.toSorted((a, b) => a.stage - b.stage) : this.#queuedTaps(hook),
    }));
  }

  async decideLaunch(facts: LaunchFacts): Promise<LaunchDecision> {
    const launch = snapshot(facts);
    const explanation = new Explanation((tap) =>
      this.#deps.log.warn({ tap, run: launch.run['id'] }, `${tap} called explain after its end: without effect`),
    );
    const denial = await this.#beforeStart.promise(launch, explanation);
    return { denial, lines: explanation.lines };
  }

  /** Called by the queue. @throws what the tap threw, so that the queue retries this tap alone */
  async runTap(label: string, payload: unknown, call: QueuedCall = { attempt: 1 }): Promise<void> {
    const queued = this.#queued.get(label);
    if (!queued) throw new Error(`there is no tap ${label}`);
    const { promise: outcome, resolve: done } = Promise.withResolvers<TapRecord>();
    await queued.hook.promise(freeze(payload), { ...call, done });
    const record = await outcome;
    this.#note(record);
    if (record.result !== 'ok') throw record.error;
  }

  #queuedTaps = (hook: QueuedHook): Tap[] =>
    [...this.#queued.values()].map(({ tap }) => tap).filter((tap) => tap.hook === hook);

  #note(record: TapRecord): void {
    this.#deps.observe?.(record);
    if (record.result === 'ok' || record.result === 'denied') return;
    const { error: err, ...fields } = record;
    this.#deps.log.warn({ ...fields, err }, `${record.hook} tap ${record.plugin}:${record.tap} ${record.result}`);
  }

  /** Only `undefined` continues a bail hook, so whatever else a tap returns is judged here. */
  async #decide(tap: Tap, facts: LaunchFacts, explanation: Explanation): Promise<Denial | undefined> {
    const { explain, close } = explanation.forTap(tap.label);
    const { value, record } = await guard(tap, { run: runOf(facts) }, (signal) =>
      tap.run(Object.freeze({ ...facts, explain, signal }), undefined),
    );
    close();
    const decision = record.result === 'ok' ? readDecision(value) : { nonsense: '' };
    if ('denial' in decision) {
      this.#note(decision.denial ? { ...record, result: 'denied', refused: true } : record);
      return decision.denial;
    }
    const failed: TapRecord =
      record.result === 'ok'
        ? { ...record, result: 'invalid', error: new Error(`returned ${decision.nonsense}`) }
        : record;
    this.#note(tap.failMode === 'deny' ? { ...failed, refused: true } : failed);
    if (tap.failMode === 'deny') return unavailable(tap.label);
    explanation.add(`${tap.label} ${failures[failed.result]}; launch allowed by its fail mode.`);
    return undefined;
  }
}

const failures: Partial<Record<TapRecord['result'], string>> = {
  threw: 'failed',
  'timed out': 'was too late',
  invalid: 'gave no valid answer',
};

const unavailable = (label: string): Denial => ({
  status: 403,
  body: {
    detail: `${label} could not decide about this launch; launch refused by its fail mode.`,
    reasons: [`${label} failed, was too late or gave no valid answer.`],
  },
});

const taken = ({ hook, label }: Tap) =>
  new Error(`${hook} tap ${label} exists already: choose another name, names of taps are unique within a plugin`);

/** Every payload tells of one run. */
function runOf(payload: any): number | null {
  const id = payload?.run_id ?? payload?.run?.id;
  return typeof id === 'number' ? id : null;
}

export const createHooks = (deps: HooksDeps): Hooks => new Hooks(deps);
