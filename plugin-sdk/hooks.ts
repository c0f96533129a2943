import type { Actor } from './resource.ts';

export interface Origin {
  kind: 'api' | 'relaunch' | 'schedule' | 'workflow' | 'event' | 'callback' | 'webhook' | 'dependency' | 'system';
  id: number | null;
  client_ip: string | null;
}

/** A refusal: returning one from a `beforeStart` tap ends the series and deletes the run. */
export interface Denial {
  status: number;
  body: Record<string, unknown>;
}

/** What a `beforeStart` tap sees. A snapshot: the run is committed in status `new` and shown nowhere yet. */
export interface Launch {
  readonly run: Readonly<Record<string, any>>;
  readonly template: Readonly<Record<string, any>> | null;
  readonly actor: Actor | null;
  readonly authority: Actor | null;
  readonly origin: Origin;
  /** Adds a line to the run's `job_explanation`. */
  explain(text: string): void;
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
  /** Unique; shown in traces and errors. */
  name: string;
  stage?: number;
  /** milliseconds; default 30 000 */
  timeoutMs?: number;
}

/** `failMode` says what a throwing or late tap means: go on with an explanation, or refuse. */
export interface BeforeStartOptions extends TapOptions {
  failMode: 'allow' | 'deny';
}
