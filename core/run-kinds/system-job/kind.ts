import { field, type RunAccess, type RunKind } from '@tapline/plugin-sdk';
import { auditor, superuser } from '../../rbac/rules.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Cleanup, CleanupDeps } from './cleanups/cleanup.ts';
import { cleanupActivity, cleanupSessions, cleanupTokens } from './cleanups/expired.ts';
import { cleanupJobs } from './cleanups/jobs.ts';
import { cleanupTypes } from './cleanup-types.ts';
import { planCleanup, variablesOf } from './plan.ts';
import { readOptions } from './options.ts';
import { systemJobTemplateResource } from './system-job-template.ts';

export interface SystemJobServices extends CleanupDeps {
  settings: Settings;
  launch: LaunchDoor;
}

const cleanups: Record<string, Cleanup> = {
  cleanup_jobs: cleanupJobs,
  cleanup_activitystream: cleanupActivity,
  cleanup_sessions: cleanupSessions,
  cleanup_tokens: cleanupTokens,
};

const ro = { mode: 'ro' } as const;
const access = { see: auditor, cancel: superuser, delete: superuser } satisfies RunAccess;

/** Of its few lines; nobody reads more than the end of many. */
const output = `(select right(string_agg(e.stdout || E'\\n', '' order by e.counter), 65536) from run_events e where e.run_id = {alias}.id)`;

/** Upkeep of the service itself: old records go. contract/jobs.md §20 */
export const systemJobKind = (services: SystemJobServices): RunKind => ({
  kind: 'system_job',
  template: 'system_job_template',
  needs: 'task',
  prompts: ['extra_vars'],
  noted: true,
  notifies: { page: 'system' },
  access,
  resource: {
    path: 'system_jobs',
    label: 'System job',
    description: 'One removal of old records of the service itself.',
    fields: {
      system_job_template: field.ref('system_job_template', { ...ro, column: 'template_id' }),
      job_type: field.choice(cleanupTypes, ro),
      extra_vars: field.text(ro),
      result_stdout: field.text({ ...ro, filterable: false, sql: output }),
    },
  },
  resources: [systemJobTemplateResource(services)],
  plan: (request) => planCleanup(services, request),
  async work(run, tools) {
    const { options } = readOptions(await variablesOf(services, run.extra_vars));
    const begun = tools.attempt > 1 ? 'Going on after a restart of the service' : 'Begun';
    await tools.write(`${begun}${options.dry ? ', only to count' : ''}.\n`);
    const result = await cleanups[run.job_type]!(services, options, tools);
    await tools.write(result);
  },
});
