import type { ExecSpec } from '@tapline/plugin-sdk';

/** Serialisable; stored in runs.handle. The executor adds what it needs. */
export interface Handle {
  executor: string;
  workspace: string;
  [key: string]: unknown;
}

/** What a handle is to hold besides, of those who know more of the run. */
export type Told = Readonly<Record<string, unknown>>;

export interface ExitRecord {
  /** null when the process was killed or never started */
  rc: number | null;
  signal: string | null;
  /** why the wrapper ended it, when it did */
  reason: 'exit' | 'canceled' | 'timeout' | 'limit' | 'disk_full' | 'start_failed' | 'killed';
  detail: string;
  started: string;
  finished: string;
}

export type ExecStatus =
  | { state: 'running' }
  | { state: 'exited'; exit: ExitRecord }
  /** neither process nor exit record: it was killed with its wrapper, or the machine restarted */
  | { state: 'lost'; detail: string };

/**
 * How a run is executed is an extension point: everything outside runner/ sees this interface and a
 * stored, serialisable handle, never a process. Any node that can reach the handle may re-attach.
 */
export interface Executor {
  readonly id: string;
  /** What makes starts quicker may be got ready, now and again after each start. Nothing depends on it. */
  standBy(): Promise<void>;
  /** Lets go of that. Runs go on. */
  close(): void;
  /**
   * Starts detached from this process. Resolves when the engine's process exists.
   * A run is started once: where its process exists already (or has ended), its handle is returned.
   * @param told goes into the handle; it is kept where the process is found again before that exists, so that `recover` answers it too
   * @throws SpecError when the spec itself is the problem; nothing is left behind then
   */
  start(spec: ExecSpec, told?: Told): Promise<Handle>;
  /**
   * The handle of a run that was started here by a control plane that died before it stored it;
   * null when nothing was started, and then nothing will be: a half-made workspace is removed.
   */
  recover(runId: number): Promise<Handle | null>;
  /** The runs of which anything is here, whether they are over or not. */
  held(): Promise<number[]>;
  status(handle: Handle): Promise<ExecStatus>;
  /** Calls `changed` whenever there may be something new to read, with true when the process may have ended or is about to. */
  watch(handle: Handle, changed: (ended: boolean) => void): () => void;
  /** At most `limit` bytes of a stream from `offset`; empty when there is nothing yet. */
  read(handle: Handle, stream: 'events' | 'stdout', offset: number, limit: number): Promise<Buffer>;
  /** Tells the executor how far both streams have been stored, for the spool limit. */
  acknowledge(handle: Handle, stored: { events: number; stdout: number }): Promise<void>;
  /** Resolves when the request is delivered, not when the process has ended. */
  cancel(handle: Handle): Promise<void>;
  /** The same for a run that has gone beyond a limit: its exit says so. */
  endAtLimit(handle: Handle, detail: string): Promise<void>;
  /**
   * Text files below a folder that the run wrote (fact cache, results): name → content. Only after its end.
   * @param only opens no others than these
   */
  readFolder(
    handle: Handle,
    folder: string,
    only?: ReadonlySet<string>,
  ): AsyncIterable<{ name: string; content: string; mtimeMs: number }>;
  /** Path on this node of a folder that the run wrote; a copy where it ran elsewhere. Only after its end. */
  localFolder(handle: Handle, folder: string): Promise<string>;
  /** Ends what is left of the process tree and removes the workspace. Safe to call again. */
  cleanup(handle: Handle): Promise<void>;
}

/**
 * One line of the `events` stream, as the callback plugin writes it (NDJSON).
 * `from` and `to` are byte offsets into the `stdout` stream: the text that belongs to the event.
 * Lines come in emission order and their ranges never overlap; ranges left out are plain output
 * that nobody claimed (a traceback, the text of a syntax error): ingest stores those as `verbose` events.
 */
export interface SpoolEvent {
  event: string;
  uuid: string;
  parent_uuid: string;
  created: string;
  from: number;
  to: number;
  verbosity: number;
  event_data: Record<string, unknown>;
}
