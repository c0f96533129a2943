import { hostCounters } from '../events/host-counters.ts';
import { approvalEvents } from './default-messages.ts';

const named = { id: 7, name: 'Stub', description: '' };

const inventory = {
  ...named,
  has_active_failures: false,
  total_hosts: 1,
  hosts_with_active_failures: 0,
  total_groups: 0,
  has_inventory_sources: false,
  total_inventory_sources: 0,
  inventory_sources_with_failures: 0,
  organization_id: 1,
  kind: '',
};

const counts = Object.fromEntries(['failed', ...hostCounters].map((name) => [name, 0]));

/** The variable of that name as templates see it, with every key that any kind of run has (contract D3). */
export const jobStub = {
  id: 42,
  type: 'stub',
  url: '/api/v2/stubs/42/',
  created: '2026-01-01T00:00:00Z',
  modified: '2026-01-01T00:00:00Z',
  name: 'Stub',
  description: '',
  job_type: 'run',
  playbook: 'stub.yml',
  forks: 0,
  limit: '',
  verbosity: 0,
  job_tags: '',
  force_handlers: false,
  skip_tags: '',
  start_at_task: '',
  timeout: 0,
  use_fact_cache: false,
  launch_type: 'manual',
  status: 'running',
  failed: false,
  started: '2026-01-01T00:00:00Z',
  finished: '2026-01-01T00:00:01Z',
  elapsed: 1,
  job_explanation: '',
  execution_node: 'node',
  controller_node: 'node',
  allow_simultaneous: false,
  scm_revision: '',
  diff_mode: false,
  job_slice_number: 0,
  job_slice_count: 1,
  scm_branch: '',
  artifacts: {},
  host_status_counts: counts,
  hosts: ['stub'],
  summary_fields: {
    inventory,
    project: { ...named, status: 'successful', scm_type: 'git' },
    job_template: named,
    unified_job_template: { ...named, unified_job_type: 'stub' },
    instance_group: { id: 1, name: 'default' },
    created_by: { id: 1, username: 'stub', first_name: '', last_name: '' },
    schedule: { ...named, next_run: '2026-01-01T00:00:00Z' },
    labels: { count: 1, results: [{ id: 1, name: 'stub' }] },
  },
};

/** The keys of a run that templates see. */
export const jobKeys = Object.keys(jobStub).filter((key) => key !== 'hosts' && key !== 'summary_fields');
export const summaryKeys: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(jobStub.summary_fields).map(([name, value]) => [name, Object.keys(value)]),
);

const anyRun = {
  job: jobStub,
  job_friendly_name: 'Job',
  url: 'http://stub/#/jobs/playbook/42',
  job_metadata: '{"id": 42}',
};

/** What templates may read, with values that are like the real ones. */
export const stubFor = (approval: boolean): Record<string, unknown> =>
  approval
    ? {
        ...anyRun,
        approval_status: approvalEvents[0],
        approval_node_name: 'Stub',
        workflow_url: 'http://stub/#/jobs/workflow/42',
        context_message: '',
      }
    : anyRun;

/** Whether a path like `job.summary_fields.project.name` leads somewhere. */
export function isReadable(path: string, context: Record<string, unknown>): boolean {
  let at: unknown = context;
  for (const [depth, part] of path.split('.').entries()) {
    // texts and lists have parts of their own, which only running it can tell of
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return true;
    if (depth > 0 && at === jobStub.artifacts) return true;
    if (!Object.hasOwn(at, part)) return false;
    at = (at as Record<string, unknown>)[part];
  }
  return true;
}
