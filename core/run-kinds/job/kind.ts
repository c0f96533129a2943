import type { RunKind } from '@tapline/plugin-sdk';
import { secretTexts } from '../../credentials/of-run.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Visible } from '../../runs/access.ts';
import { type EnvironmentDeps, inEnvironment } from '../execution/environment-of-run.ts';
import { jobExtends } from './extends.ts';
import { jobDescriptor, type JobServices } from './job.ts';
import { jobEventResource } from './job-event.ts';
import { jobHostSummaryResource } from './job-host-summary.ts';
import { jobTemplateResource } from './job-template.ts';
import { planJob } from './launch/plan.ts';
import { prepareJob, type PrepareDeps } from './execution/prepare-job.ts';
import { sourceOf } from '../execution/project-source.ts';
import { jobPrompts } from './launch/prompts.ts';
import { jobAccess } from './rules.ts';

export interface JobKindServices extends JobServices, PrepareDeps, EnvironmentDeps {
  visible: Visible;
  bus: Bus;
}

/** A run of a playbook of a project on an inventory. */
export const jobKind = (services: JobKindServices): RunKind => ({
  kind: 'job',
  template: 'job_template',
  needs: 'engine',
  prompts: jobPrompts.map(({ name }) => name),
  noted: true,
  notifies: { page: 'playbook', project: true },
  templateShows: 'outcome',
  events: { own: true, path: 'job_events' },
  graph: 'playbook_run',
  summarizesHosts: true,
  access: jobAccess,
  resource: jobDescriptor(services),
  resources: [jobTemplateResource(services), jobEventResource(services), jobHostSummaryResource(services)],
  extends: jobExtends,
  plan: (request) => planJob(services, request),
  content: async (run) => ({
    source: await sourceOf(services.config.dataDir, run),
    entries: [String(run['playbook'])],
  }),
  prepare: (run) => inEnvironment(services, run, () => prepareJob(services, run)),
  secretsOf: (run) => secretTexts(services, run.credential_ids),
});
