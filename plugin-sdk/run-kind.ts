import type { Knex } from 'knex';
import type { CheckoutSource, ExecSpec } from './execution.ts';
import type { LaunchTemplate, LaunchUses, NamedRecord } from './hooks.ts';
import type { Actor, Builder, Resource, Route, Rule } from './resource.ts';
import type { CoreRunRow, Origin, RunStatus } from './rows/runs.ts';

/**
 * What a run takes to go: `engine` = a node with capacity that executes something, `task` = a task of the queue,
 * `nobody` = it only waits, for other runs or for somebody's answer.
 */
export type Needs = 'engine' | 'task' | 'nobody';

/** A row of `runs` as its kind sees it: also the columns that kinds share (`webhook_service`, `impact` …) and nobody promises. */
export interface RunRow extends CoreRunRow {
  instance_id: number | null;
  /** what the kind itself keeps */
  data: Record<string, unknown>;
  [column: string]: unknown;
}

/** A run whose status has just changed. */
export interface MovedRun extends RunRow {
  from_status: RunStatus;
}

/** Who launches: who wanted it, whose rights are used (they differ for a portal or an approval), what started it. */
export interface Launcher {
  actor: Actor | null;
  authority: Actor | null;
  origin: Origin;
}

/** What a kind is asked to plan. */
export interface PlanRequest extends Launcher {
  /** to read with: the connection, or the transaction in which the template has just been written */
  db: Knex;
  /** null: the kind has no templates, or `again` stands in its place */
  template: number | null;
  /** the run that is launched again as it was, its template being gone */
  again?: number;
  /** the body of the launch: prompts by name, passwords */
  prompts: Readonly<Record<string, unknown>>;
  /** variables that count whether the template asks for any or not: of an origin that may carry them */
  variables?: Readonly<Record<string, unknown>>;
  /** variables that were secret answers at the first launch, in plain: they count, and stay hidden whatever asks for them now */
  secretVariables?: Readonly<Record<string, unknown>>;
  /** what launches it was started by a schedule, which it is told of */
  belowSchedule?: boolean;
  /** the prompts were accepted once and stay so, even where the template does not ask any more (relaunch) */
  honourPrompts?: boolean;
  /** the prompts were saved for this launch (schedule, workflow node): credentials take the places of those of their types, and are no whole list */
  saved?: boolean;
  /**
   * Nothing is launched yet: what may be otherwise by then is no fault, nor are passwords that other credentials would not need.
   * `part`: a later launch adds to it, so nothing is missing yet
   */
  ahead?: 'whole' | 'part';
  /** relaunch: who may run everything of this organization may repeat the prompts without rights on their objects */
  organizationId?: number | null;
  /** columns of the run that the caller gives: a relaunch's limit, a callback's host, a webhook's guid */
  columns?: Readonly<Record<string, unknown>>;
}

/**
 * Names of what runs may not share: `template:5`, `project:3`, `inventory:7`. A run waits while another one that is
 * `waiting` or `running` holds a key of its `waitsFor`. Who holds the key that it waits for stands in line: one goes on
 * at a time; who does not goes on together with all others.
 */
export interface Locks {
  holds: readonly string[];
  waitsFor: readonly string[];
}

/** What becomes of a request, before anything is stored. */
export interface RunPlan {
  /** columns of the new run, besides kind, status, who launched it and what it needs, which core fills in */
  columns: Record<string, unknown>;
  /** all that is wrong, by field, and nothing left out; with any the launch is refused */
  errors?: Record<string, unknown>;
  /** what was given and does not count; told to the caller */
  ignored?: Record<string, unknown>;
  credentials?: readonly number[];
  /** given at launch, by name; kept encrypted until the run has them */
  passwords?: Record<string, string>;
  /** variables that `extra_vars` shows as `$encrypted$`; kept encrypted with the run, which is given them when it is carried out */
  secretVariables?: Readonly<Record<string, unknown>>;
  /** where its values come from, nothing secret in it: what a preview of the launch tells, and the run keeps as `decision_record` */
  record?: Readonly<Record<string, unknown>>;
  locks?: Locks;
  /** templates that are run first, unless their last run is recent enough */
  updatesFirst?: readonly number[];
  /** the template as `beforeStart` taps see it; nothing secret in it */
  template?: (LaunchTemplate & Record<string, unknown>) | null;
  /** what the run will use, for taps; what is left out it does not use */
  uses?: Partial<LaunchUses>;
  /** into how many runs it is cut, each on a part of its hosts, where that is more than one: `split` of another kind makes them */
  slices?: number;
  /** what is stored with the run, in its transaction: rows of its own that name it */
  write?(trx: Knex, run: RunRow): Promise<void>;
}

export interface ProjectOfRun {
  id: number;
  name: string;
  status: string;
  scm_type: string;
  scm_branch: string | null;
  scm_revision: string;
  /** the folder of a project that is one */
  local_path: string;
  scm_track_submodules: boolean;
  /** the key by which its updates are verified */
  signature_validation_credential_id: number | null;
}

/** A run with what its execution needs from the database. */
export interface RunInContext extends RunRow {
  template: { id: number; name: string; extra_vars: string } | null;
  project: ProjectOfRun | null;
  inventory: {
    id: number;
    name: string;
    kind: string;
    organization_id: number | null;
    host_filter: string | null;
  } | null;
  /** who wanted it */
  user: { id: number; username: string; email: string; first_name: string; last_name: string } | null;
  /** what started it */
  schedule: { id: number; name: string } | null;
  /** the run that it is a part of */
  workflow: { id: number; name: string; launch_type: string; schedule: { id: number; name: string } | null } | null;
  credential_ids: number[];
}

/** A run that this node is to carry out. */
export interface ClaimedRun extends RunInContext {
  /** passwords given at launch, in plain, by name */
  passwords: Record<string, string>;
  /** variables that are hidden in its `extra_vars`, in plain */
  secretVariables: Record<string, unknown>;
}

/** What the files of a run follow from: of one that is there, or of one that another would launch. */
export type RunOfContent = Pick<RunInContext, 'project' | 'scm_branch' | 'scm_revision' | 'playbook'>;

/** A launch that a run of runs leads to. */
export interface PlannedPart {
  /** the identifier of its node */
  node: string;
  /** the template that the node stands in, where that is not the run's own */
  workflow: NamedRecord | null;
  template: NamedRecord;
  /** `templates.kind` */
  kind: string;
  project_id: number | null;
  playbook: string;
  /** '': that of its project */
  scm_branch: string;
}

/** Where the files of a run come from. */
export interface RunContent {
  source: CheckoutSource;
  /** what is run of it: paths within */
  entries: readonly string[];
}

export interface Prepared {
  spec: ExecSpec;
  /** columns of the run that are known now; the workspace's path is known only then */
  columns: (workspace: string) => Record<string, unknown>;
  /** texts that are masked wherever they come out */
  secrets: string[];
  /** those of them that are stored nowhere: kept, encrypted, with the run until it ends, so that another process masks them too */
  unstored?: string[];
}

/** The end of a run that an engine executed, once all that it said is stored. */
export interface EndedRun {
  run: MovedRun;
  status: 'successful' | 'failed' | 'error' | 'canceled';
  /** Text files that it left in a folder of its workspace. */
  readFolder(folder: string): AsyncIterable<{ name: string; content: string }>;
  /** Path of a folder on this node with what it left in that folder of its workspace. */
  localFolder(folder: string): Promise<string>;
}

/** What a kind makes of an end. */
export interface Conclusion {
  /** where the result is no good after all */
  status?: 'failed' | 'error';
  explanation?: string;
  columns?: Record<string, unknown>;
  /**
   * In the transaction that ends the run, before it does: what takes long, or may refuse. A SpecError undoes it, and the run
   * ends as failed with its text. Resolves to further columns of the run
   */
  before?(trx: Knex.Transaction): Promise<Record<string, unknown> | void>;
  /** columns of a run that `before` refused */
  refused?(error: Error): Record<string, unknown>;
  /** in the transaction that ends the run */
  write?(trx: Knex): Promise<void>;
}

/** What the work of a `task` run is given. It may be done anew after the service died in the middle: `attempt` counts. */
export interface WorkTools {
  /** aborts when the run is canceled, when its timeout is over and when the service stops */
  signal: AbortSignal;
  /** 1 at first */
  attempt: number;
  /** adds to the output of the run, as lines of text; passwords and secret answers that its launch was given are masked */
  write(text: string): Promise<void>;
}

export interface WorkResult {
  status?: 'successful' | 'failed';
  explanation?: string;
  /** columns of the run */
  columns?: Record<string, unknown>;
}

/**
 * A sentence for people from what the engine said, '' for none after all. The pattern is looked for in the last 32 kB of the output,
 * which playbooks and hosts write: repeat nothing in it without a bound (`.{1,500}`, not `.+`).
 */
export type ExplainRule = readonly [pattern: RegExp, explain: (match: RegExpExecArray) => string];

/** Parts of a descriptor: core adds what runs of every kind have. */
export type RunDescriptor = Partial<Resource> &
  Pick<Resource, 'path' | 'label' | 'fields' | 'description'> & {
    /** fields of all runs that these do not have: `description` */
    without?: readonly string[];
  };

/** Who may do what to a run; a template's own rights stand in its descriptor. */
export interface RunAccess {
  see: Rule;
  /** where they are made by a POST to their list (`launch` of the resource) */
  create?: Rule;
  cancel: Rule;
  delete?: Rule;
  [action: string]: Rule | undefined;
}

/**
 * One kind of runs: all that makes it differ from others. Core knows no kind by name; whatever it has to know about one
 * it reads here.
 */
export interface RunKind {
  /** `runs.kind`, the type of its resource, and the stem of its WebSocket group: `inventory_update` */
  kind: string;
  /** `templates.kind` of what it is launched from; null: there are no templates */
  template: string | null;
  needs: Needs;
  /** `nobody` only: it stays `pending` until its own code moves it, as an approval does that waits for an answer */
  staysPending?: boolean;
  /** the prompts that a launch may bring; see `prompts` of core */
  prompts?: readonly string[];
  /** whether launches and cancels stand in the activity stream: upkeep does not */
  noted: boolean;
  /** how its template shows an end: by the exact word, or as successful or failed only; default exact */
  templateShows?: 'exact' | 'outcome';
  /**
   * Its events: their WebSocket group, default `<kind>_events`; `path` of their details under /api/v2/, where they have
   * any; `own`: `resources` has the resource for them, which else core makes, listed as `events/` below each run
   */
  events?: { group?: string; path?: string; own?: true };
  /** it plays on the hosts of its inventory: how it ended on each is kept */
  summarizesHosts?: boolean;
  /** addresses in its output may hold passwords: they are masked */
  hidesUrls?: boolean;
  /** the name under which the dashboard's graph counts it, like `playbook_run` */
  graph?: string;
  access: RunAccess;
  /** the resource of its runs: what core cannot know */
  resource: RunDescriptor;
  /** further resources of its own: its templates, its events */
  resources?: readonly Resource[];
  /** what it serves beside them, at paths that belong to no record */
  routes?: readonly Route[];
  /** what it adds to other resources, by type: the lists of its runs below what they ran on */
  extends?: Readonly<Record<string, Pick<Partial<Resource>, 'fields' | 'sublists' | 'spans' | 'actions'>>>;
  /** Reads a request whole: every complaint at once. Writes nothing. */
  plan(request: PlanRequest): Promise<RunPlan>;
  /**
   * The files of its project that a run uses, for taps that look into them before it starts. A commit that is named here
   * is kept as the run's `scm_revision`, and `prepare` has to use it. @throws SpecError where there are none
   */
  content?(run: RunOfContent): Promise<RunContent>;
  /**
   * `nobody`: what a run that is about to begin will launch, and what that will, for taps that look into the files before it starts.
   * @param most at most so many, and one more where there are more
   */
  parts?(run: Pick<RunRow, 'id'>, most: number): Promise<PlannedPart[]>;
  /** `engine`: what is executed. @throws SpecError where the run as it stands cannot be */
  prepare?(run: ClaimedRun): Promise<Prepared>;
  /** `engine`: texts to mask in the output of a run that a former process of the service started */
  secretsOf?(run: RunInContext): Promise<string[]>;
  /** `engine`: takes over what the run left; may be called again after a restart */
  finish?(ended: EndedRun): Promise<Conclusion | void>;
  /** `task`: the work itself; a throw ends the run as `error` with its text, and one that is `isUnavailable` has it done anew */
  work?(run: ClaimedRun, tools: WorkTools): Promise<WorkResult | void>;
  /** What it does when a run that it launched moves, in the transaction of that move: enqueue a task, or move itself. */
  follow?(trx: Knex, parent: { id: number }, child: MovedRun): Promise<void>;
  /**
   * `nobody`: looks at where a run stands, and goes on. Called outside of any transaction, from the queue: once it is
   * running, when a run that it launched has ended, when its cancel was asked for, and now and then as long as it is active.
   * It may be called at any time, twice at once and after the service died in the middle.
   * `whole`: not for the end of a run that it launched, which `follow` was told of: whatever there is may have something to go on with.
   */
  advance?(run: number, look: { whole: boolean }): Promise<void>;
  /**
   * `nobody`: narrows its active runs (alias `t`) to those that `advance` may have something to do for, for the look that is
   * taken each minute in case a task was lost. One too many does no harm. Default: all of them.
   */
  mayAdvance?(runs: Builder): void;
  /**
   * `nobody`: SQL that holds for a run that is over, by its alias, where an active run of this kind still goes by how it
   * ended without having launched it: such a run is not deleted. Those it launched stay without this.
   */
  keeps?(run: string): string;
  /** What is launched in place of a plan with `slices`: one kind of runs has this. */
  split?(request: PlanRequest, plan: RunPlan): RunPlan;
  /** its runs and templates are left out of the lists of runs and templates of every kind */
  unlisted?: true;
  /** `nobody`: what it does when it begins to wait (`running`), in that transaction */
  begin?(trx: Knex, run: MovedRun): Promise<void>;
  /** `nobody`: what it does when its cancel is asked for while it is `running`; without it, it ends at once as canceled */
  cancel?(trx: Knex, run: RunRow): Promise<void>;
  /** further keys of the message that tells of a change of status */
  tells?(run: Pick<RunRow, 'id' | 'template_id' | 'project_id' | 'inventory_id'>): Record<string, unknown>;
  /**
   * How it is told of in notifications: its name for people, the part of the web client that shows it, whether its project's
   * templates count too, whether nothing is told of its moves, and further keys of `job_metadata`.
   */
  notifies?: {
    name?: string;
    page?: string;
    project?: true;
    moves?: false;
    metadata?(db: Knex, run: number): Promise<Record<string, unknown>>;
  };
  /** sentences for failures that only this kind has */
  explains?: readonly ExplainRule[];
}

/** A kind of templates: a resource over rows of `templates`, from which runs of one kind are launched. */
export interface TemplateKind {
  /** `templates.kind` and the type of its resource */
  type: string;
  /** the name of the action that launches it: `launch`, or `update` where it fetches something */
  action?: 'launch' | 'update';
  /**
   * Names are unique in an organization, and where its `validate` sets the column `name_scope` of what is made
   * (`inventory:5`), below that.
   */
  resource: RunDescriptor & Pick<Resource, 'access'>;
  /** who may launch it */
  launch: Rule;
}
