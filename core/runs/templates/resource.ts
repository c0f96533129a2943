import {
  type Action,
  defineResource,
  field,
  type PlanRequest,
  type Resource,
  type Row,
  type RunKind,
  type TemplateKind,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertNoActiveRuns } from '../active-runs.ts';
import { promptsOf } from '../prompts/prompts.ts';
import type { LaunchDoor } from '../start.ts';
import { runLink, runOf, templateRunFields } from './fields.ts';
import { launchReply } from './reply.ts';
import { recentRunsSql, runsOfTemplateSql, shownRuns } from './summaries.ts';

export interface TemplateDeps {
  readonly db: Knex;
  readonly launch: LaunchDoor;
}

/** The resource of a kind's templates: what it says of them, with what templates of every kind have. */
export function templateResource(deps: TemplateDeps, kind: RunKind, template: TemplateKind): Resource {
  const { type, resource, action = 'launch' } = template;
  const { path } = kind.resource;
  const flags = promptsOf(kind.prompts).map(({ flag }) => [flag, field.boolean()]);
  return defineResource({
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    stream: true,
    ...resource,
    type,
    table: 'templates',
    where: { kind: type },
    hiddenColumns: ['playbook_files', 'inventory_files', 'survey_spec', 'data', ...(resource.hiddenColumns ?? [])],
    unique: {
      templates_name_organization: {
        field: '__all__',
        message: `${resource.label} with this Name and Organization already exists.`,
      },
    },
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      organization: field.ref('organization'),
      ...templateRunFields,
      ...Object.fromEntries(flags),
      ...resource.fields,
    },
    spans: {
      last_job: runOf(kind.kind, 'last_run_id'),
      current_job: runOf(kind.kind, 'current_run_id'),
      ...resource.spans,
    },
    sublists: { jobs: { resource: kind.kind, column: 'template_id' }, ...resource.sublists },
    actions: { [action]: launchAction(deps, kind, template), ...resource.actions },
    related: (row) => ({
      current_job: runLink(row, 'current_run_id', path),
      last_job: runLink(row, 'last_run_id', path),
      ...resource.related?.(row),
    }),
    extraSql: { ...runsOfTemplateSql, ...recentRunsSql, ...resource.extraSql },
    async summaries(db, rows, call, view) {
      const own = await resource.summaries?.(db, rows, call, view);
      const shown = (row: Row) => ({ ...shownRuns(row), recent_jobs: row.summary_recent ?? [], ...own?.get(row.id) });
      return new Map(rows.map((row) => [row.id, shown(row)]));
    },
    beforeDelete: (trx, { id }) => assertNoActiveRuns(trx, (runs) => void runs.where('template_id', id)),
  });
}

/** What a launch will ask for, and the launch. */
function launchAction(
  deps: TemplateDeps,
  { kind, prompts }: RunKind,
  { resource, launch, action = 'launch' }: TemplateKind,
): Action {
  const asked = promptsOf(prompts);
  const status = action === 'launch' ? 201 : 202;
  return {
    access: { GET: resource.access.see, POST: launch },
    summary: action === 'launch' ? 'Launch the template' : 'Fetch its source',
    fields: Object.fromEntries(asked.map((prompt) => [prompt.name, prompt.field])),
    // which prompts are taken depends on the template
    validate: false,
    answers: {
      GET: {
        fields: {
          can_start_without_user_input: field.boolean(),
          ...Object.fromEntries(asked.map(({ flag }) => [flag, field.boolean()])),
          defaults: field.json({ help: 'What it runs with where nothing is given.' }),
        },
      },
      POST: { status, type: kind, fields: { [kind]: field.integer(), ignored_fields: field.json() } },
    },
    launches: status,
    async handler(call, row) {
      if (call.method === 'GET') {
        const flags = Object.fromEntries(asked.map(({ flag }) => [flag, row[flag]]));
        const plain = asked.filter(({ names }) => !names).map(({ name, column = name }) => [name, row[column] ?? null]);
        const can_start_without_user_input = !asked.some(({ flag }) => row[flag]);
        return { status: 200, body: { can_start_without_user_input, ...flags, defaults: Object.fromEntries(plain) } };
      }
      const request: Omit<PlanRequest, 'db'> = {
        template: row.id,
        prompts: call.body,
        actor: call.actor,
        authority: call.actor,
        origin: { kind: 'api', id: null, client_ip: call.ip },
      };
      const { run, ignored } = await deps.launch.start({ ...request, kind, waiting: true });
      return launchReply(call, run, { status, name: kind, extra: { ignored_fields: ignored } });
    },
  };
}
