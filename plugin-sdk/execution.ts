import { isErrorOf } from './errors.ts';

/** A folder or file of the node that a run sees inside its sandbox, at its own place or at another one. */
export type ShownPath = string | { path: string; inside: string };

/** A search path of the automation engine that we add to: by a variable, and that hides what the project's own configuration says. */
export interface SearchPath {
  variable: string;
  /** keys of the section [defaults], the first that is there */
  keys: string[];
  /** put before what is configured */
  first: string[];
  /** the engine's own places, where nothing is configured */
  otherwise: string;
}

export type CheckoutSource =
  | { kind: 'git'; repository: string; revision: string; submodules: boolean }
  | { kind: 'folder'; path: string };

/** An image of containers that brings an automation engine: `ansible-playbook` and its siblings on PATH, `python3`, `/bin/sh`. */
export interface ContainerImage {
  /** as podman takes it, `quay.io/team/engine:1` */
  image: string;
  pull: 'always' | 'missing' | 'never';
  /** who we are to the registry; none = nobody */
  registry?: { host: string; username: string; password: string; verify: boolean };
}

/**
 * What is executed for a run of a kind that needs an engine: plain data. How it is executed is the executor's business;
 * everything outside of it sees this and a stored, serialisable handle, never a process.
 */
export interface ExecSpec {
  run_id: number;
  /**
   * The program and its arguments inside the workspace; `{workspace}` is the workspace's path, `{tmp}` the run's own temporary
   * folder; in `env` too. `literal()` keeps a text from that.
   */
  argv: string[];
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  /** Relative to the workspace. */
  cwd: string;
  /**
   * Files to write before the start, paths relative to the workspace; mode defaults to 0600. In executable
   * ones `{workspace}` is replaced as in `argv`, with `expand: 'json'` it is escaped as within JSON's quotes; any other
   * content is data and stays as it is.
   */
  files: { path: string; content: string | Buffer; mode?: number; expand?: 'json' }[];
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
  /** seconds without a word after which it is ended; 0 = none */
  idle_s?: number;
  /** The engine is paused while more than this many bytes wait to be stored. */
  spool_limit_bytes: number;
  /** Further host paths to show read-only inside the sandbox. */
  readOnlyPaths: ShownPath[];
  /** Further host paths the run may write to, where their own permissions let the engine's user. */
  writablePaths?: ShownPath[];
  /** Variables whose value depends on the engine's configuration in the checkout; they win over `env`. */
  searchPaths?: SearchPath[];
  /** Executed in a container of it; left out = by the engine of the node, in its sandbox. */
  container?: ContainerImage;
  /** A path below `project/` that must not lead out of it: the playbook. */
  entry?: string;
}

/** The run as it stands cannot be executed: it ends as `failed` with this text. */
export class SpecError extends Error {
  override name = 'SpecError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, SpecError, value, ({ name }) => name === 'SpecError');
  }
}
