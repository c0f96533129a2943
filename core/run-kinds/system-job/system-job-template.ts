import { type Action, type Access, defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { notificationsOfTemplate } from '../../notifications/attach.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import { runLink, runOf, templateRunFields } from '../../runs/templates/fields.ts';
import { launchReply } from '../../runs/templates/reply.ts';
import { runsOfTemplateSql, shownRuns } from '../../runs/templates/summaries.ts';
import { auditor, superuser } from '../../rbac/rules.ts';
import { cleanupTypes } from './cleanup-types.ts';

const ro = { mode: 'ro' } as const;
const access = { see: auditor } satisfies Access;
const kind = 'system_job';

/** contract/jobs.md §20: there from the first day, and no others. */
export const systemJobTemplateResource = (deps: { launch: LaunchDoor }): Resource =>
  defineResource({
    type: 'system_job_template',
    path: 'system_job_templates',
    table: 'templates',
    where: { kind: 'system_job_template' },
    label: 'System job template',
    description: 'What removes old records of the service itself when it is launched.',
    access,
    rights: { start: superuser },
    methods: { list: ['GET'], detail: ['GET'] },
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec', 'data'],
    fields: {
      name: field.string(ro),
      description: field.text(ro),
      ...templateRunFields,
      execution_environment: field.ref('execution_environment', ro),
      job_type: field.choice(cleanupTypes, ro),
    },
    spans: { last_job: runOf(kind, 'last_run_id'), current_job: runOf(kind, 'current_run_id') },
    sublists: {
      jobs: { resource: kind, column: 'template_id' },
      ...notificationsOfTemplate({ write: superuser }),
    },
    actions: { launch: launchAction(deps) },
    related: (row) => ({
      current_job: runLink(row, 'current_run_id', 'system_jobs'),
      last_job: runLink(row, 'last_run_id', 'system_jobs'),
    }),
    extraSql: runsOfTemplateSql,
    summaries: async (_db, rows) => new Map(rows.map((row) => [row.id, shownRuns(row)])),
  });

const launchAction = (deps: { launch: LaunchDoor }): Action => ({
  access: { GET: auditor, POST: superuser },
  summary: 'Remove what is old',
  fields: { extra_vars: field.json({ help: 'days, dry_run, batch_size' }) },
  // a text that holds them is as good
  validate: false,
  answers: {
    GET: { schema: { type: 'object' } },
    POST: { status: 201, type: kind, fields: { [kind]: field.integer() } },
  },
  launches: 201,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: {} };
    const { run } = await deps.launch.start({
      kind,
      template: row.id,
      prompts: call.body,
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'api', id: null, client_ip: call.ip },
    });
    return launchReply(call, run, { status: 201, name: kind });
  },
});
