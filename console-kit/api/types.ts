/** What the pages read of the API's answers. */
export interface Page<T> {
  count: number;
  /** address of the page behind it */
  next: string | null;
  results: T[];
}

export type RunStatus = 'pending' | 'waiting' | 'running' | 'successful' | 'failed' | 'error' | 'canceled';

interface Summary {
  id: number;
  name: string;
  [key: string]: any;
}

/** Of whatever kind, as lists and details show it. */
export interface Run {
  id: number;
  type: string;
  name: string;
  url: string;
  status: RunStatus;
  failed: boolean;
  created: string;
  started: string | null;
  finished: string | null;
  canceled_on: string | null;
  elapsed: number;
  job_explanation: string;
  result_traceback?: string;
  /** why it has not started yet */
  pending_reasons?: { code: string; explanation: string }[];
  limit?: string;
  playbook?: string;
  module_name?: string;
  module_args?: string;
  job_type?: string;
  context_message?: string;
  approval_expiration?: string | null;
  scm_revision?: string;
  execution_node?: string;
  extra_vars?: string;
  host_status_counts?: Record<string, number> | null;
  launched_by?: { id?: number | null; name?: string };
  related: Record<string, string>;
  summary_fields: Record<string, Summary> & { user_capabilities?: Record<string, boolean> } & Record<string, any>;
}

export interface RunEvent {
  id: number;
  counter: number;
  event: string;
  event_data: any;
  failed: boolean;
  changed: boolean;
  created: string;
  uuid: string;
  host_name: string;
  play: string;
  task: string;
  role: string;
  stdout: string;
  start_line: number;
  end_line: number;
}

export interface User {
  id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_superuser: boolean;
  is_system_auditor: boolean;
}

export interface Template {
  id: number;
  type: string;
  name: string;
  description: string;
  /** of job templates */
  playbook?: string;
  status: string;
  last_job_run: string | null;
  related: Record<string, string>;
  summary_fields: Record<string, any>;
}

export interface Recommendation {
  id: string;
  severity: 'critical' | 'warn' | 'info';
  title: string;
  why: string;
  action_link: string;
}

const active = new Set(['new', 'pending', 'waiting', 'running']);
export const isActive = ({ status }: { status: string }): boolean => active.has(status);
