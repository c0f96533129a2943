import type { Columns } from './columns.ts';

export type RunStatus = 'new' | 'pending' | 'waiting' | 'running' | 'successful' | 'failed' | 'error' | 'canceled';

/** What started a run. */
export interface Origin {
  /**
   * One of core's (`api`, `relaunch`, `schedule`, `workflow`, `event`, `callback`, `webhook`, `dependency`, `system`), or one
   * that a plugin declared by `api.origin`.
   */
  kind: string;
  /** the number of what it was: the schedule, the event, the run that is launched again */
  id: number | null;
  client_ip: string | null;
}

/**
 * A run of whatever kind. `core_runs` has those that are decided about: one in status `new` is there for nobody yet. A
 * column that a kind does not use has its zero value there.
 */
export interface CoreRunRow {
  id: number;
  /** `job`, `project_update`, or a plugin's own */
  kind: string;
  name: string;
  description: string;
  /** null: there was none, or it is gone */
  template_id: number | null;
  organization_id: number | null;
  inventory_id: number | null;
  project_id: number | null;
  /** how clients know what started it: `manual`, `scheduled`, … */
  launch_type: string;
  status: RunStatus;
  /** counts the changes of status */
  status_seq: number;
  created: string;
  modified: string;
  started: string | null;
  finished: string | null;
  /** when its cancel was asked for, or it was canceled */
  canceled_on: string | null;
  job_explanation: string;
  /** seconds; 0 = none of its own */
  timeout: number;
  /** a JSON object, as text */
  extra_vars: string;
  /** who wanted it */
  actor_id: number | null;
  /** whose rights were used */
  authority_id: number | null;
  created_by_id: number | null;
  origin: Origin;
  /** the run that launched it */
  parent_id: number | null;
  /** `run` or `check` */
  job_type: string;
  playbook: string;
  scm_branch: string | null;
  /** what was checked out, once it is known */
  scm_revision: string;
  limit: string | null;
  job_tags: string | null;
  skip_tags: string | null;
  forks: number;
  verbosity: number;
  use_fact_cache: boolean;
  become_enabled: boolean;
  diff_mode: boolean;
  /** what the playbook kept by `set_stats` */
  artifacts: Record<string, unknown>;
  /** hosts by how they ended (`{ ok: 2, failures: 1 }`), once it has ended */
  host_status_counts: Record<string, number> | null;
}

export interface CoreRunLabelRow {
  run_id: number;
  label_id: number;
}

export interface CoreRunCredentialRow {
  run_id: number;
  credential_id: number;
}

/** How a run ended on one host: how many of its tasks did what. */
export interface CoreHostSummaryRow {
  id: number;
  run_id: number;
  /** null: it was in no inventory, or is gone */
  host_id: number | null;
  host_name: string;
  ok: number;
  changed: number;
  failures: number;
  /** unreachable */
  dark: number;
  skipped: number;
  ignored: number;
  rescued: number;
  processed: number;
  failed: boolean;
  created: string;
  modified: string;
}

/** One step of a run; those of a host are quick to find by `host_id` and `run_id` together. */
export interface CoreRunEventRow {
  /** as the API calls it: unlike that of other rows it is made of the run and the counter */
  id: number;
  run_id: number;
  /** its place in the run */
  counter: number;
  /** `runner_on_ok`, `playbook_on_task_start`, … */
  event: string;
  /** null: it is about none, or about one that was in no inventory */
  host_id: number | null;
  host_name: string;
  play: string;
  task: string;
  role: string;
  changed: boolean;
  failed: boolean;
  created: string;
}

export const runColumns = {
  core_runs: {
    id: 'bigint',
    kind: 'text',
    name: 'text',
    description: 'text',
    template_id: 'bigint | null',
    organization_id: 'bigint | null',
    inventory_id: 'bigint | null',
    project_id: 'bigint | null',
    launch_type: 'text',
    status: 'text',
    status_seq: 'integer',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
    started: 'timestamp with time zone | null',
    finished: 'timestamp with time zone | null',
    canceled_on: 'timestamp with time zone | null',
    job_explanation: 'text',
    timeout: 'integer',
    extra_vars: 'text',
    actor_id: 'bigint | null',
    authority_id: 'bigint | null',
    created_by_id: 'bigint | null',
    origin: 'jsonb',
    parent_id: 'bigint | null',
    job_type: 'text',
    playbook: 'text',
    scm_branch: 'text | null',
    scm_revision: 'text',
    limit: 'text | null',
    job_tags: 'text | null',
    skip_tags: 'text | null',
    forks: 'integer',
    verbosity: 'integer',
    use_fact_cache: 'boolean',
    become_enabled: 'boolean',
    diff_mode: 'boolean',
    artifacts: 'jsonb',
    host_status_counts: 'jsonb | null',
  } satisfies Columns<CoreRunRow>,
  core_run_labels: { run_id: 'bigint', label_id: 'bigint' } satisfies Columns<CoreRunLabelRow>,
  core_run_credentials: { run_id: 'bigint', credential_id: 'bigint' } satisfies Columns<CoreRunCredentialRow>,
  core_host_summaries: {
    id: 'bigint',
    run_id: 'bigint',
    host_id: 'bigint | null',
    host_name: 'text',
    ok: 'integer',
    changed: 'integer',
    failures: 'integer',
    dark: 'integer',
    skipped: 'integer',
    ignored: 'integer',
    rescued: 'integer',
    processed: 'integer',
    failed: 'boolean',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreHostSummaryRow>,
  core_run_events: {
    id: 'bigint',
    run_id: 'bigint',
    counter: 'integer',
    event: 'text',
    host_id: 'bigint | null',
    host_name: 'text',
    play: 'text',
    task: 'text',
    role: 'text',
    changed: 'boolean',
    failed: 'boolean',
    created: 'timestamp with time zone',
  } satisfies Columns<CoreRunEventRow>,
} as const;
