import { AsyncParallelHook, AsyncSeriesBailHook } from 'tapable';
import type {
  BeforeStartOptions,
  Denial,
  FactsUpdate,
  FinishedRun,
  Launch,
  StatusChange,
  StatusTapOptions,
  TapContext,
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

/** What taps decide about; core gives the facts and the content, each tap gets an `explain` and a signal of its own. */
export type LaunchFacts = Omit<Launch, 'explain' | 'signal' | keyof LaunchFiles | 'preview'>;
/** What core lets taps look into. */
export type LaunchFiles = Pick<Launch, 'content' | 'contents'>;

const nothing: LaunchFiles = { content: () => Promise.resolve(null), contents: () => Promise.resolve([]) };
const none = () => Promise.reject(new Error('A preview of a launch has no files.'));
const noFiles: LaunchFiles = { content: none, contents: none };

/** A denial and whose it is: the label of the tap. */
export interface Refusal {
  denial: Denial;
  tap: string;
}

/** What became of asking one tap. */
export interface TapAnswer {
  answer: 'allowed' | 'denied';
  /** its lines for the run's `job_explanation`, and those about it */
  said: string[];
  /** it gave no answer: its fail mode decided */
  failed?: string;
  denial?: Pick<Denial, 'status' | 'body'>;
}

type Heard = (tap: string, answer: TapAnswer) => void;

/** How a tap is asked. */
interface Asked {
  explanation: Explanation;
  files: LaunchFiles;
  heard: Heard;
  preview: boolean;
}

export interface LaunchDecision {
  refusal: Refusal | undefined;
  /** for the run's `job_explanation` */
  lines: readonly string[];
  /** to how many characters a tap wants the whole explanation cut */
  cut?: number;
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
  readonly #beforeStart = new AsyncSeriesBailHook<[LaunchFacts, Asked], Refusal | undefined>(
    ['launch', 'asked'],
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
    this.#beforeStart.tapPromise({ name: tap.label, stage: tap.stage }, (launch, asked) =>
      this.#decide(tap, launch, asked),
    );
  }

  /** As above; a tap's name is unique among all hooks of the queue, since its tasks carry it. */
  on<H extends QueuedHook>(
    name: H,
    options: H extends 'onStatusChange' ? StatusTapOptions : TapOptions,
    run: (payload: QueuedPayloads[H], context: TapContext) => unknown,
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

  /** `isUsed()` is true with an interceptor alone, so taps are counted: those that have anything to say for now. */
  decidesLaunches(): boolean {
    return this.#deciding.some((tap) => !isAsleep(tap));
  }

  /** Texts that bodies of launches may hold for taps, and what each is for. */
  taken(): Record<string, string> {
    return Object.assign({}, ...this.#deciding.map(({ takes }) => takes));
  }

  /** Whether any tap is told of such a change of status for now. */
  hears(change: Pick<StatusChange, 'kind' | 'to'>): boolean {
    return this.#queuedTaps('onStatusChange').some((tap) => tap.wants(change) && !isAsleep(tap));
  }

  /** Labels of the taps on a queued hook that this is told to: those that want it and have anything to do for now. */
  tapsOf<H extends QueuedHook>(hook: H, payload: QueuedPayloads[H]): string[] {
    const told = (tap: Tap) => (hook !== 'onStatusChange' || tap.wants(payload as StatusChange)) && !isAsleep(tap);
    return this.#queuedTaps(hook)
      .filter(told)
      .map(({ label }) => label);
  }

  /** The table that says which organizations the tap is told of; null: all. */
  listenersOf = (label: string): string | null => this.#queued.get(label)?.tap.listeners ?? null;

  /** All hooks with their taps in the order in which they run. */
  list(): { hook: HookName; taps: readonly Tap[] }[] {
    return hookNames.map((hook) => ({ hook, taps: hook === 'beforeStart' ? this.#inOrder() : this.#queuedTaps(hook) }));
  }

  #inOrder = () => this.#deciding.toSorted((a, b) => a.stage - b.stage);

  /** @param heard told of each tap that was asked, in their order */
  async decideLaunch(
    facts: LaunchFacts,
    files: LaunchFiles = nothing,
    heard: Heard = () => undefined,
  ): Promise<LaunchDecision> {
    const launch = snapshot(facts);
    const explanation = this.#explanation(launch);
    const refusal = await this.#beforeStart.promise(launch, { explanation, files, heard, preview: false });
    const { lines, cut } = explanation;
    return { refusal, lines, ...(cut === undefined ? {} : { cut }) };
  }

  /** What the taps that can judge without side effects say, all of them; nothing comes of it. */
  async previewLaunch(facts: LaunchFacts): Promise<Map<string, TapAnswer>> {
    const launch = snapshot(facts);
    const answers = new Map<string, TapAnswer>();
    const heard: Heard = (tap, answer) => void answers.set(tap, answer);
    for (const tap of this.#inOrder().filter(({ preview }) => preview)) {
      const asked = { explanation: this.#explanation(launch), files: noFiles, heard, preview: true };
      // as in a launch: by stage, and none runs beside another
      // oxlint-disable-next-line no-await-in-loop
      await this.#decide(tap, launch, asked);
    }
    return answers;
  }

  #explanation = ({ run }: LaunchFacts): Explanation =>
    new Explanation((tap) =>
      this.#deps.log.warn({ tap, run: run['id'] }, `${tap} called explain after its end: without effect`),
    );

  /** Called by the queue. @throws what the tap threw, so that the queue retries this tap alone */
  async runTap(label: string, payload: unknown, call: QueuedCall = { attempt: 1 }): Promise<void> {
    const queued = this.#queued.get(label);
    if (!queued) throw new Error(`there is no tap ${label}`);
    const { promise: outcome, resolve: done } = Promise.withResolvers<TapRecord>();
    await queued.hook.promise(freeze(payload), { ...call, done });
    const record = await outcome;
    // the queue tells of each failed try
    this.#deps.observe?.(record);
    if (record.result !== 'ok') throw record.error;
  }

  #queuedTaps = (hook: QueuedHook): Tap[] =>
    [...this.#queued.values()].map(({ tap }) => tap).filter((tap) => tap.hook === hook);

  #note(record: TapRecord): void {
    this.#deps.observe?.(record);
    if (record.error === undefined) return;
    const { error: err, ...fields } = record;
    this.#deps.log.warn({ ...fields, err }, `${record.hook} tap ${record.plugin}:${record.tap} ${record.result}`);
  }

  /** Only `undefined` continues a bail hook, so whatever else a tap returns is judged here. */
  async #decide(tap: Tap, facts: LaunchFacts, asked: Asked): Promise<Refusal | undefined> {
    const { explanation, files, heard, preview } = asked;
    const { explain, close, said } = explanation.forTap(tap.label);
    const ended = await guard(tap, { run: preview ? null : runOf(facts) }, (signal) =>
      tap.run(Object.freeze({ ...facts, ...files, explain, preview, signal })),
    );
    close();
    const decision = readDecision(ended);
    if (decision && 'denial' in decision) {
      const { denial, leftOut } = decision;
      this.#note(denial ? denied(ended.record, leftOut) : ended.record);
      heard(tap.label, { ...answerOf(denial), said: said() });
      return denial && { denial, tap: tap.label };
    }
    const failed: TapRecord = decision
      ? { ...ended.record, result: 'invalid', error: new Error(`returned ${decision.nonsense}`) }
      : ended.record;
    const denial = tap.failMode === 'deny' ? unavailable(tap.label) : undefined;
    this.#note(denial ? { ...failed, refused: true } : failed);
    if (!denial) explanation.add(`${tap.label} ${failures[failed.result]}; launch allowed by its fail mode.`);
    heard(tap.label, { ...answerOf(denial), said: said(), failed: failed.result });
    return denial && { denial, tap: tap.label };
  }
}

/** One that cannot tell is asked. */
function isAsleep(tap: Tap): boolean {
  try {
    return tap.asleep() === true;
  } catch {
    return false;
  }
}

const answerOf = (denial: Denial | undefined): Pick<TapAnswer, 'answer' | 'denial'> =>
  denial ? { answer: 'denied', denial: { status: denial.status, body: denial.body } } : { answer: 'allowed' };

/** An ApiError that is the denial is no failure; what cannot be sent of it is told. */
function denied({ error: _thrown, ...record }: TapRecord, leftOut: string | undefined): TapRecord {
  const error = leftOut === undefined ? {} : { error: new Error(`left out of its denial: ${leftOut}`) };
  return { ...record, result: 'denied', refused: true, ...error };
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
function runOf(payload: unknown): number | null {
  const told = payload as { run_id?: unknown; run?: { id?: unknown } } | null | undefined;
  const id = told?.run_id ?? told?.run?.id;
  return typeof id === 'number' ? id : null;
}

export const createHooks = (deps: HooksDeps): Hooks => new Hooks(deps);
