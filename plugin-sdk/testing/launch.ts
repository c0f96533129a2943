import type { ExplainOptions, Launch, LaunchTemplate } from '../hooks.ts';
import type { Actor } from '../resource.ts';
import type { CoreRunRow } from '../rows/runs.ts';

export const fakeActor = (given: Partial<Actor> = {}): Actor => ({
  id: 1,
  username: 'tester',
  is_superuser: false,
  is_system_auditor: false,
  read_only: false,
  via: 'basic',
  ...given,
});

const made = '2026-01-02T03:04:05.120000Z';

/** What templates and runs have of a job alike. */
const content = {
  organization_id: 1,
  inventory_id: null,
  project_id: null,
  job_type: 'run',
  playbook: 'site.yml',
  scm_branch: '',
  limit: '',
  job_tags: '',
  skip_tags: '',
  forks: 0,
  verbosity: 0,
  timeout: 0,
  use_fact_cache: false,
  become_enabled: false,
  diff_mode: false,
  created: made,
  modified: made,
  created_by_id: 1,
};

/** A run of a job template that is asked about. */
export const fakeRun = (given: Partial<CoreRunRow> = {}): CoreRunRow => ({
  ...content,
  id: 1,
  kind: 'job',
  name: 'template',
  description: '',
  template_id: 1,
  launch_type: 'manual',
  status: 'new',
  status_seq: 0,
  started: null,
  finished: null,
  canceled_on: null,
  job_explanation: '',
  extra_vars: '{}',
  actor_id: 1,
  authority_id: 1,
  origin: { kind: 'api', id: null, client_ip: null },
  parent_id: null,
  scm_revision: '',
  artifacts: {},
  host_status_counts: null,
  ...given,
});

export const fakeTemplate = (given: Partial<LaunchTemplate> = {}): LaunchTemplate => ({
  ...content,
  id: 1,
  kind: 'job_template',
  name: 'template',
  description: '',
  status: 'never updated',
  last_run_id: null,
  last_job_run: null,
  last_job_failed: false,
  next_job_run: null,
  extra_vars: '',
  allow_simultaneous: false,
  survey_enabled: false,
  ...given,
});

/** What is said of run and template stands over what a plain launch has. */
export type FakeLaunch = Partial<Omit<Launch, 'run' | 'template'>> & {
  run?: Partial<CoreRunRow>;
  template?: Partial<LaunchTemplate> | null;
};

/** A launch for a `beforeStart` tap; `explained` holds what the tap adds to the run's explanation, `cuts` to what it is to be cut. */
export function fakeLaunch({ run, template, ...given }: FakeLaunch = {}): Launch & {
  explained: string[];
  cuts: number[];
} {
  const explained: string[] = [];
  const cuts: number[] = [];
  const launch: Launch = {
    run: fakeRun(run),
    template: template === null ? null : fakeTemplate(template),
    uses: { organization: { id: 1, name: 'organization' }, inventory: null, project: null, credentials: [] },
    actor: fakeActor(),
    authority: fakeActor(),
    origin: { kind: 'api', id: null, client_ip: null },
    given: {},
    content: async () => null,
    contents: async () => [],
    preview: false,
    signal: new AbortController().signal,
    explain(text: string, { cut }: ExplainOptions = {}) {
      explained.push(text);
      if (cut !== undefined) cuts.push(cut);
    },
    ...given,
  };
  return Object.assign(launch, { explained, cuts });
}
