import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { cancelAction, type CancelDeps } from '../launch/cancel.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { redactUrl } from '../scm/url.ts';
import type { Settings } from '../settings/settings.ts';
import { projectUpdateEvents } from './project-update-event.ts';
import { assertDeletable, deleteEvents, launcherSql, runCounts, runFields } from './run-fields.ts';
import { stdoutAction } from './stdout.ts';
import { startedRuns } from './unified-job.ts';
import { sourceTypes, webhookServices } from './choices.ts';

const ro = { mode: 'ro' } as const;

const updateFields = {
  ...runFields,
  project: field.ref('project', { ...ro, column: 'template_id' }),
  organization: field.ref('organization', ro),
  job_type: field.choice(
    [
      ['run', 'Run'],
      ['check', 'Check'],
    ],
    ro,
  ),
  job_tags: field.text(ro),
  local_path: field.string(ro),
  scm_type: field.choice(sourceTypes, ro),
  // may hold a password, so it is neither filtered nor shown as it is
  scm_url: field.string({ ...ro, filterable: false }),
  scm_branch: field.string(ro),
  scm_refspec: field.string(ro),
  scm_clean: field.boolean(ro),
  scm_track_submodules: field.boolean(ro),
  scm_delete_on_update: field.boolean(ro),
  credential: field.ref('credential', ro),
  timeout: field.integer(ro),
  scm_revision: field.string(ro),
  webhook_service: field.choice(webhookServices, ro),
  webhook_guid: field.string(ro),
  ...runCounts,
};

export const projectUpdateResource = (
  services: CancelDeps & { db: Knex; settings: Settings; permissions: CorePermissions },
): Resource =>
  defineResource({
    type: 'project_update',
    path: 'project_updates',
    table: 'runs',
    where: { kind: 'project_update' },
    label: 'Project update',
    description: 'One fetch of the source of a project.',
    listed: startedRuns,
    methods: { list: ['GET'], detail: ['GET', 'DELETE'] },
    access: services.permissions.project_update,
    orderBy: ['id'],
    search: ['name', 'description'],
    summary: ['id', 'name', 'description', 'status', 'failed'],
    hiddenColumns: ['handle', 'prompts', 'origin'],
    extraSql: launcherSql,
    fields: updateFields,
    sublists: { events: projectUpdateEvents },
    actions: {
      cancel: cancelAction(services, services.permissions.project_update),
      stdout: stdoutAction(services, services.permissions.project_update.see),
    },
    beforeDelete: async (_trx, row) => assertDeletable(row),
    afterDelete: deleteEvents,
    present: (shown) => void (shown['scm_url'] = redactUrl(shown['scm_url'])),
  });
