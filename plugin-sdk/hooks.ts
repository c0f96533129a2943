import type { Actor } from './resource.ts';
import type { CoreRunRow, Origin, RunStatus } from './rows/runs.ts';
import type { CoreTemplateRow } from './rows/templates.ts';

/** A further kind of origin. */
export interface OriginKind {
  /** kebab-case or one word: `portal` */
  kind: string;
  /** how clients know what started a run of it (`launch_type`), default `webhook` for what comes by itself */
  launchType?:
    | 'manual'
    | 'relaunch'
    | 'callback'
    | 'scheduled'
    | 'dependency'
    | 'workflow'
    | 'webhook'
    | 'sync'
    | 'scm';
  /** its launches may carry `variables` that the template does not ask for: whoever declares it answers for what is in them */
  variables?: boolean;
}

/**
 * A refusal: returning one from a `beforeStart` tap ends the series and deletes the run. A thrown ApiError is the same,
 * whatever the fail mode; anything else that is thrown is a failure of the tap.
 */
export interface Denial {
  /** 400 to 499, or 503 */
  status: number;
  /** plain JSON of at most 64 KiB, `detail` and `reasons` by custom; anything else counts as a failure of the tap */
  body: Record<string, unknown>;
  /**
   * Of the answer to whoever waits: `Retry-After`, `Link`, `RateLimit`, `RateLimit-Policy` and names that begin with
   * `X-Tapline-`, at most 4 KiB. Others are left out, which log and traces tell; the refusal stands.
   */
  headers?: Record<string, string>;
  /**
   * ISO 8601: from when on the same launch would be let through, as far as is known. A schedule that catches up with missed
   * times is due again then; anybody else makes of it what `body` and `headers` say.
   */
  until?: string;
}

export interface ExplainOptions {
  /**
   * To how many characters the whole `job_explanation` is cut: what stood there before, this line and those of other taps,
   * earlier and later. It is cut once, when all taps have run; of several wishes the smallest counts. The reasons of a
   * denial stand after it and are not cut.
   */
  cut?: number;
}

export interface NamedRecord {
  id: number;
  name: string;
}

/** What a run will use: the template's own with what the launch brought over it. */
export interface LaunchUses {
  organization: NamedRecord | null;
  inventory: NamedRecord | null;
  project: NamedRecord | null;
  /** `kind`: the namespace of its type (`ssh`, `vault`), or the kind of a custom one (`cloud`) */
  credentials: readonly (NamedRecord & { kind: string })[];
}

/** Which files a run will work with. */
export interface LaunchSource {
  readonly project: NamedRecord;
  /**
   * The commit, which from here on is the one that the run uses, whatever is fetched meanwhile. Empty for a manual
   * project: its folder is copied again when the run starts, and may have changed by then.
   */
  readonly revision: string;
  /** The same text for the same files: the commit, with those of submodules that follow their branch. Empty for a manual project. */
  readonly state: string;
  /** what is run of it: paths within */
  readonly entries: readonly string[];
}

/** The files that a run will work with. */
export interface LaunchContent extends LaunchSource {
  /** path of a copy on this machine, read-only and without `.git`; it goes when the launch is decided */
  readonly folder: string;
}

/** A playbook that a launch leads to: its own, or that of a node of the workflow that is launched. */
export interface LaunchWork {
  /** what it is launched from; null: it repeats a run whose template is gone */
  readonly template: NamedRecord | null;
  /** the identifier of the node that launches it; null: the launch itself does */
  readonly node: string | null;
  /** the workflow that the node stands in; null: the one that is launched, or there is no node */
  readonly workflow: NamedRecord | null;
  readonly project: NamedRecord;
  /** path within the project */
  readonly playbook: string;
  /** branch, tag or commit in place of the project's own; empty: its own */
  readonly scm_branch: string;
  /**
   * Which files they are, of the commit that `content()` then has: for who may know them already, since none is made for it.
   * @throws Error where there are none
   */
  source(): Promise<LaunchSource>;
  /**
   * Its files, as `content()` of a launch has them, the same limits included; works of the same commit share one folder. What
   * a node works with is settled when it is launched itself, which taps decide about again. @throws Error where there are none
   */
  content(): Promise<LaunchContent>;
}

/** The template of a launch as it is stored, whatever the launch brought over it. */
export type LaunchTemplate = Omit<CoreTemplateRow, 'survey_questions'> & {
  /** of a workflow: its nodes by id, the first 1000 of them */
  readonly nodes?: readonly LaunchNode[];
};

/** A node of a workflow that is about to begin. What a workflow in it holds is told when that is launched, and by `contents()`. */
export interface LaunchNode {
  readonly identifier: string;
  /** null, as all that follows: there is nothing to launch */
  readonly unified_job_template: number | null;
  /** of its template: `job_template`, `workflow_job_template`, `project` … */
  readonly kind: string | null;
  readonly name: string | null;
  readonly playbook: string | null;
  /** its template's own: the node or a prompt may say another */
  readonly inventory_id: number | null;
  readonly project_id: number | null;
  readonly project_name: string | null;
}

/** What a `beforeStart` tap sees. A frozen snapshot: the run is committed in status `new` and shown nowhere yet. */
export interface Launch {
  /** with what the launch brought; `status` is `new` */
  readonly run: Readonly<CoreRunRow>;
  /** null: its kind has no templates, or it repeats a run whose template is gone */
  readonly template: Readonly<LaunchTemplate> | null;
  /** what the run will use, as far as its kind uses any */
  readonly uses: LaunchUses;
  readonly actor: Actor | null;
  readonly authority: Actor | null;
  readonly origin: Origin;
  /** What the launch's body holds of the texts that taps take (`takes`), blank ones left out; empty where nobody waits for the answer. */
  readonly given: Readonly<Record<string, string>>;
  /**
   * Adds a line to the run's `job_explanation`, of each tap at most 20 lines and 1 KiB; without effect once the tap has ended.
   * @throws RangeError for a `cut` that is no whole number from 1 to 16 384
   */
  explain(text: string, options?: ExplainOptions): void;
  /**
   * The files that the run will work with, null where it uses none. They are made when a tap first asks, and are the same
   * for all taps of the launch. Where the project is updated on launch that happens now, and once: it takes its time out of
   * the tap's, see `timeoutMs`. @throws Error where there are none: never fetched, the update failed, no such branch, more
   * than `CHECKOUT_MAX_BYTES` or `CHECKOUT_MAX_FILES`
   */
  content(): Promise<LaunchContent | null>;
  /**
   * All playbooks that the launch leads to: of a job one, its own; of a workflow those of its nodes that will be launched, of
   * workflows within it too, however deep, each once. Empty where none is run. Naming them costs a few statements;
   * files are made when their `content()` is first asked for. @throws Error for more than 10 000 of them
   */
  contents(): Promise<readonly LaunchWork[]>;
  /**
   * Somebody only asks what would become of the launch: nothing is stored, `run.id` is 0, `content()` and `contents()` throw, and the tap
   * must leave nothing behind, a reservation or a message. True only for taps with the option `preview`.
   */
  readonly preview: boolean;
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

/** Facts that a run gathered. Of many hosts it tells in several updates, each with at most 2,000 and with hosts of its own, in any order. */
export interface FactsUpdate {
  run_id: number;
  /** which of them, from 0; absent where there is one */
  part?: number | undefined;
  /** Consecutive pairs stay right however late a tap runs: facts are immutable rows under their hash. */
  hosts: { host_id: number; old_hash: string | null; new_hash: string }[];
}

/** A run that has ended, as it was then. */
export interface FinishedRun {
  readonly run: Readonly<CoreRunRow>;
}

/** When a `beforeStart` tap runs: quota before policy before scanning before everything else. */
export const stages = { quota: 100, policy: 200, scanning: 300, default: 500 } as const;

export interface TapOptions {
  /** kebab-case, unique within the plugin; shown in traces and errors */
  name: string;
  /** smaller runs earlier, see `stages`; of taps on `beforeStart` only, the others run side by side */
  stage?: number;
  /** milliseconds, 1 to 600 000; default 30 000. What a tap answers or throws after that never counts, also where it blocked. */
  timeoutMs?: number;
  /**
   * True while the tap has nothing to do, since what it is about is switched off. Nothing is enqueued for it then; and a launch
   * that begins while all taps on `beforeStart` are asleep is stored at once, as if there were none. Asked each time, at no cost: it
   * must not wait or query.
   */
  asleep?(): boolean;
}

/** Which changes a tap wants, so that the others cost nothing; without them every change of every run is a task for it. */
export interface StatusTapOptions extends TapOptions {
  /** kinds of runs: `['job']` */
  kinds?: readonly string[];
  /** what they change to */
  to?: readonly RunStatus[];
  /**
   * A table or view of the plugin's own, by its short name, with a column `organization_id`: nothing is enqueued about runs of
   * organizations that it has no row of. It is asked in the transaction of the change, so who stands there before is told; keep it
   * small or indexed.
   */
  listeners?: string;
}

/** `failMode` says what a throwing or late tap means: go on with an explanation, or refuse. */
export interface BeforeStartOptions extends TapOptions {
  failMode: 'allow' | 'deny';
  /**
   * The tap can judge a launch without side effects, which it is asked for with `launch.preview`: then previews of launches
   * show what it says, also where an earlier tap denies. Default false: it is named in previews, and not asked.
   */
  preview?: boolean;
  /**
   * Further texts that bodies of launches may hold, each of at most 1024 characters: its name in snake_case, and one sentence
   * on what it is for, which OPTIONS tells of everything that launches. Several taps may take the same.
   */
  takes?: Readonly<Record<string, string>>;
}

/** The hooks of core, as a plugin taps them. */
export interface PluginHooks {
  /** Decides about a launch: return a denial to refuse, nothing to go on. May run again for the same launch. */
  beforeStart(
    options: BeforeStartOptions,
    tap: (launch: Launch) => Denial | void | undefined | Promise<Denial | void | undefined>,
  ): void;
  onStatusChange(options: StatusTapOptions, tap: (change: StatusChange, context: TapContext) => unknown): void;
  afterFinish(options: TapOptions, tap: (finished: FinishedRun, context: TapContext) => unknown): void;
  onFactsUpdated(options: TapOptions, tap: (update: FactsUpdate, context: TapContext) => unknown): void;
}
