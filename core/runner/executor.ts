import type { SearchPath } from './project-config.ts';
import type { ShownPath } from './isolation.ts';

/**
 * How a run is executed is an extension point: everything outside runner/ sees this interface and a
 * stored, serialisable handle, never a process. Any node that can reach the handle may re-attach.
 */
export interface ExecSpec {
  run_id: number;
  /** The program and its arguments inside the workspace; `{workspace}` is the workspace's path, `{tmp}` the run's own temporary folder; in `env` too. */
  argv: string[];
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  /** Relative to the workspace. */
  cwd: string;
  /**
   * Files to write before the start, paths relative to the workspace; mode defaults to 0600. In executable
   * ones `{workspace}` is replaced as in `argv`; any other content is data and stays as it is.
   */
  files: { path: string; content: string | Buffer; mode?: number }[];
  /** Symbolic links to make in the fresh workspace; `target` is relative to the link. */
  links?: { path: string; target: string }[];
  /** Writable copy of a revision to make at `project/`; null = nothing. */
  checkout: CheckoutSource | null;
  /** Paths relative to the workspace that hold secrets: wiped as soon as the process has ended. */
  secretPaths: string[];
  /** A private key per entry, to be loaded into an ssh-agent that lives as long as the run. */
  sshKeys: { key: string; passphrase: string | null; certificate?: string }[];
  /** seconds; 0 = none */
  timeout_s: number;
  /** The engine is paused while more than this many bytes wait to be stored. */
  spool_limit_bytes: number;
  /** Further host paths to show read-only inside the sandbox. */
  readOnlyPaths: ShownPath[];
  /** Further host paths the run may write to, where their own permissions let the engine's user. */
  writablePaths?: ShownPath[];
  /** Variables whose value depends on the engine's configuration in the checkout; they win over `env`. */
  searchPaths?: SearchPath[];
  /** A path below `project/` that must not lead out of it: the playbook. */
  entry?: string;
}

export type CheckoutSource =
  | { kind: 'git'; repository: string; revision: string; submodules: boolean }
  | { kind: 'folder'; path: string };

/** Serialisable; stored in runs.handle. The executor adds what it needs. */
export interface Handle {
  executor: string;
  workspace: string;
  [key: string]: unknown;
}

export interface ExitRecord {
  /** null when the process was killed or never started */
  rc: number | null;
  signal: string | null;
  /** why the wrapper ended it, when it did */
  reason: 'exit' | 'canceled' | 'timeout' | 'disk_full' | 'start_failed' | 'killed';
  detail: string;
  started: string;
  finished: string;
}

export type ExecStatus =
  | { state: 'running' }
  | { state: 'exited'; exit: ExitRecord }
  /** neither process nor exit record: it was killed with its wrapper, or the machine restarted */
  | { state: 'lost'; detail: string };

export interface Executor {
  readonly id: string;
  /** What makes starts quicker may be got ready, now and again after each start. Nothing depends on it. */
  standBy(): Promise<void>;
  /** Lets go of that. Runs go on. */
  close(): void;
  /**
   * Starts detached from this process. Resolves when the engine's process exists.
   * A run is started once: where its process exists already (or has ended), its handle is returned.
   * @throws SpecError when the spec itself is the problem; nothing is left behind then
   */
  start(spec: ExecSpec): Promise<Handle>;
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
  /** Text files below a folder that the run wrote (fact cache, results): name → content. Only after its end. */
  readFolder(handle: Handle, folder: string): AsyncIterable<{ name: string; content: string; mtimeMs: number }>;
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
  event_data: Record<string, any>;
}
