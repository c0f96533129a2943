import type { Actor } from './resource.ts';

export interface Origin {
  kind: 'api' | 'relaunch' | 'schedule' | 'workflow' | 'event' | 'callback' | 'webhook' | 'dependency' | 'system';
  id: number | null;
  client_ip: string | null;
}

/** A refusal: returning one from a `beforeStart` tap ends the series and deletes the run. */
export interface Denial {
  /** 400 to 499, or 503 */
  status: number;
  /** plain JSON of at most 64 KiB, `detail` and `reasons` by custom; anything else counts as a failure of the tap */
  body: Record<string, unknown>;
}

/** What a `beforeStart` tap sees. A frozen snapshot: the run is committed in status `new` and shown nowhere yet. */
export interface Launch {
  readonly run: Readonly<Record<string, any>>;
  readonly template: Readonly<Record<string, any>> | null;
  readonly actor: Actor | null;
  readonly authority: Actor | null;
  readonly origin: Origin;
  /** Adds a line to the run's `job_explanation`, of each tap at most 20 lines and 1 KiB; without effect once the tap has ended. */
  explain(text: string): void;
  /** Aborts when the tap's time is over: what still runs then is in vain. */
  readonly signal: AbortSignal;
}

/** The second argument of a tap that runs from the queue. */
export interface TapContext {
  /** Aborts when the tap's time is over or the service stops; the tap is run again later. */
  signal: AbortSignal;
  /** 1 at the first try */
  attempt: number;
}

/** A status change, ordered within a run by `seq`, not by arrival. */
export interface StatusChange {
  run_id: number;
  kind: string;
  template_id: number | null;
  seq: number;
  from: string;
  to: string;
  /** ISO 8601 UTC */
  at: string;
}

export interface FactsUpdate {
  run_id: number;
  /** Consecutive pairs stay right however late a tap runs: facts are immutable rows under their hash. */
  hosts: { host_id: number; old_hash: string | null; new_hash: string }[];
}

/** A run that has ended: its row, without what only core may see. */
export interface FinishedRun {
  readonly run: Readonly<Record<string, any>>;
}

/** When a `beforeStart` tap runs: quota before policy before scanning before everything else. */
export const stages = { quota: 100, policy: 200, scanning: 300, default: 500 } as const;

export interface TapOptions {
  /** kebab-case, unique within the plugin; shown in traces and errors */
  name: string;
  /** smaller runs earlier, see `stages`; of taps on `beforeStart` only, the others run side by side */
  stage?: number;
  /** milliseconds, 1 to 600 000; default 30 000 */
  timeoutMs?: number;
}

/** `failMode` says what a throwing or late tap means: go on with an explanation, or refuse. */
export interface BeforeStartOptions extends TapOptions {
  failMode: 'allow' | 'deny';
}
