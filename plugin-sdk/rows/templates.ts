import type { Columns } from './columns.ts';

/** What runs are launched from, of every kind; a column that a kind does not use has its zero value there. */
export interface CoreTemplateRow {
  id: number;
  /** `job_template`, `project`, or a plugin's own */
  kind: string;
  name: string;
  description: string;
  organization_id: number | null;
  /** how its newest run is or ended; `never updated` before there was any */
  status: string;
  last_run_id: number | null;
  /** when its last run ended, well or not */
  last_job_run: string | null;
  last_job_failed: boolean;
  next_job_run: string | null;
  project_id: number | null;
  inventory_id: number | null;
  /** `run` or `check` */
  job_type: string;
  playbook: string;
  scm_branch: string | null;
  /** 0 = as many as the engine has by itself */
  forks: number;
  limit: string | null;
  verbosity: number;
  /** YAML or JSON, as it was written */
  extra_vars: string;
  job_tags: string | null;
  skip_tags: string | null;
  /** seconds; 0 = none of its own */
  timeout: number;
  use_fact_cache: boolean;
  become_enabled: boolean;
  diff_mode: boolean;
  allow_simultaneous: boolean;
  survey_enabled: boolean;
  /** in its survey, enabled or not */
  survey_questions: number;
  created: string;
  modified: string;
  created_by_id: number | null;
}

/** Templates of the kind `project`: their ids are template ids. */
export interface CoreProjectRow {
  id: number;
  name: string;
  description: string;
  organization_id: number | null;
  status: string;
  /** '' = a folder, which is never updated */
  scm_type: string;
  scm_branch: string | null;
  /** what the last good update fetched */
  scm_revision: string;
  /** when the last good update ended */
  last_synced: string | null;
  created: string;
  modified: string;
}

/** Credentials; what is in them is nobody's to read. */
export interface CoreCredentialRow {
  id: number;
  name: string;
  description: string;
  organization_id: number | null;
  /** the one user whose it is */
  user_id: number | null;
  credential_type_id: number;
  /** the namespace of its type (`ssh`, `vault`), or the kind of a custom one (`cloud`) */
  kind: string;
  managed: boolean;
  created: string;
  modified: string;
}

export interface CoreLabelRow {
  id: number;
  name: string;
  organization_id: number;
  created: string;
  modified: string;
}

export interface CoreTemplateLabelRow {
  template_id: number;
  label_id: number;
}

export interface CoreTemplateCredentialRow {
  template_id: number;
  credential_id: number;
}

/** What is launched by the clock; the service's own upkeep is not among them. */
export interface CoreScheduleRow {
  id: number;
  name: string;
  description: string;
  template_id: number;
  enabled: boolean;
  /** DTSTART and rules, as RFC 5545 has them */
  rrule: string;
  /** name of the zone whose clocks count; `UTC` where the rule names none */
  timezone: string;
  /** null: disabled, or over */
  next_run: string | null;
  created: string;
  modified: string;
  created_by_id: number | null;
}

export const templateColumns = {
  core_templates: {
    id: 'bigint',
    kind: 'text',
    name: 'text',
    description: 'text',
    organization_id: 'bigint | null',
    status: 'text',
    last_run_id: 'bigint | null',
    last_job_run: 'timestamp with time zone | null',
    last_job_failed: 'boolean',
    next_job_run: 'timestamp with time zone | null',
    project_id: 'bigint | null',
    inventory_id: 'bigint | null',
    job_type: 'text',
    playbook: 'text',
    scm_branch: 'text | null',
    forks: 'integer',
    limit: 'text | null',
    verbosity: 'integer',
    extra_vars: 'text',
    job_tags: 'text | null',
    skip_tags: 'text | null',
    timeout: 'integer',
    use_fact_cache: 'boolean',
    become_enabled: 'boolean',
    diff_mode: 'boolean',
    allow_simultaneous: 'boolean',
    survey_enabled: 'boolean',
    survey_questions: 'integer',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
    created_by_id: 'bigint | null',
  } satisfies Columns<CoreTemplateRow>,
  core_schedules: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    template_id: 'bigint',
    enabled: 'boolean',
    rrule: 'text',
    timezone: 'text',
    next_run: 'timestamp with time zone | null',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
    created_by_id: 'bigint | null',
  } satisfies Columns<CoreScheduleRow>,
  core_projects: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    organization_id: 'bigint | null',
    status: 'text',
    scm_type: 'text',
    scm_branch: 'text | null',
    scm_revision: 'text',
    last_synced: 'timestamp with time zone | null',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreProjectRow>,
  core_credentials: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    organization_id: 'bigint | null',
    user_id: 'bigint | null',
    credential_type_id: 'bigint',
    kind: 'text',
    managed: 'boolean',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreCredentialRow>,
  core_labels: {
    id: 'bigint',
    name: 'text',
    organization_id: 'bigint',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreLabelRow>,
  core_template_labels: { template_id: 'bigint', label_id: 'bigint' } satisfies Columns<CoreTemplateLabelRow>,
  core_template_credentials: {
    template_id: 'bigint',
    credential_id: 'bigint',
  } satisfies Columns<CoreTemplateCredentialRow>,
} as const;
