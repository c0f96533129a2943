import { defineResource, field, type Resource, type Row, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import {
  inventorySummary,
  ownInventory,
  shownInventories,
  type Summary,
  withInventory,
} from '../../inventory/shown-inventories.ts';
import type { Bus } from '../../queue/bus.ts';
import { seenTemplate, type Visible } from '../../runs/access.ts';
import { checkSavedPrompts, type SavedDeps } from '../../runs/saved-prompts/check.ts';
import { savedPromptFields } from '../../runs/saved-prompts/fields.ts';
import { savedSublists } from '../../runs/saved-prompts/sublists.ts';
import { via } from '../../rbac/rules.ts';
import { showNextSchedules } from '../../schedules/next-of-templates.ts';
import { savedOfSchedule } from '../../schedules/saved.ts';
import { scheduleRules } from '../../schedules/template-right.ts';
import { columnsOfRule } from '../../schedules/times.ts';
import { labelsOf } from '../label.ts';
import { previewAction, zoneinfoAction } from './schedule-actions.ts';

const ro = { mode: 'ro' } as const;
const time = { ...ro, nullable: true } as const;
const { saved } = savedOfSchedule;

export interface ScheduleServices extends SavedDeps {
  db: Knex;
  bus: Bus;
  visible: Visible;
}

const scheduleFields = {
  name: field.string({ required: true }),
  description: field.text(),
  rrule: field.text({ required: true, help: 'DTSTART and one RRULE or several, as RFC 5545 has them.' }),
  // exports of what stands below a template do not name it, and are put back as they are
  unified_job_template: field.ref('unified_job_template', { required: 'create', nullable: false }),
  enabled: field.boolean({ default: true }),
  missed_runs: field.choice(
    [
      ['skip', 'Skip'],
      ['catch_up_one', 'Catch up with one run'],
    ],
    { default: 'skip', help: 'What becomes of times that passed while nothing could be launched.' },
  ),
  ...savedPromptFields,
  dtstart: field.datetime(time),
  dtend: field.datetime(time),
  next_run: field.datetime(time),
  timezone: field.string(ro),
  until: field.string(ro),
};

/** contract, part C */
export function scheduleResource(services: ScheduleServices): Resource {
  const { visible, kinds, settings } = services;
  const { create, change } = scheduleRules(kinds);
  return defineResource({
    type: 'schedule',
    path: 'schedules',
    table: saved.table,
    label: 'Schedule',
    description: 'What is launched by the clock: when, and with which prompts.',
    access: {
      see: via('unified_job_template_id', 'templates', seenTemplate(visible, kinds)),
      create,
      change,
      delete: change,
    },
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
    orderBy: ['id'],
    search: ['name', 'description'],
    summary: ['id', 'name', 'description', 'next_run'],
    naming: ['name', 'unified_job_template'],
    hiddenColumns: ['survey_passwords'],
    unique: {
      schedules_name_template: {
        field: '__all__',
        message: 'Schedule with this Unified job template and Name already exists.',
      },
    },
    fields: scheduleFields,
    sublists: sublistsOf(services),
    listActions: { preview: previewAction, zoneinfo: zoneinfoAction },
    extraSql: ofTemplate,
    related,
    summaries,
    present(shown) {
      if (settings.get('DISABLE_ALL_SCHEDULES')) shown['enabled'] = false;
    },
    validate: (context) => checkSchedule(services, context, create),
    ...following(services),
  });
}

const sublistsOf = (services: ScheduleServices): Resource['sublists'] => ({
  jobs: { resource: 'unified_job', column: 'schedule_id' },
  labels: labelsOf(saved.lists, saved.key),
  ...savedSublists(services, savedOfSchedule),
});

/** Columns of the row's own statement. */
const ofTemplate = {
  template_project: '(select of.project_id from templates of where of.id = {alias}.unified_job_template_id)',
  template_inventory: `(select json_build_object(${inventorySummary.map((key) => `'${key}', i.${key}`).join(', ')})
    from templates of join inventories i on i.id = of.inventory_id where of.id = {alias}.unified_job_template_id)`,
};

const related = (row: Row) => ({
  unified_jobs: `/api/v2/schedules/${row.id}/jobs/`,
  project: row['template_project'] ? `/api/v2/projects/${Number(row['template_project'])}/` : null,
  inventory: inventoryOf(row) ? `/api/v2/inventories/${Number(inventoryOf(row)!['id'])}/` : null,
});

/** Its own, else the template's. */
const inventoryOf = (row: Row) => ownInventory(row) ?? (row['template_inventory'] as Summary | null);

async function summaries(db: Knex, rows: Row[]): Promise<Map<number, Record<string, unknown>>> {
  const used = rows.map((row) => withInventory(row, inventoryOf(row)));
  const shown = await shownInventories(db, used);
  return new Map(
    used.map((row) => {
      const inventory = shown(row);
      return [row.id, inventory ? { inventory } : {}];
    }),
  );
}

/** Who only switches it off is asked nothing more: what is broken can be stopped. */
async function checkSchedule(
  services: ScheduleServices,
  context: WriteContext,
  create: ReturnType<typeof scheduleRules>['create'],
): Promise<void> {
  const { input, before, sent, trx, call } = context;
  if (before && sent.size === 1 && sent.has('enabled') && input['enabled'] === false)
    return void Object.assign(input, { next_run: null });
  const template = input['unified_job_template_id'];
  const moved = before && template !== undefined && template !== before['unified_job_template_id'];
  if (moved && !(await create.row(call.actor, input, trx))) throw forbidden();
  const enabled = Boolean(input['enabled'] ?? before?.['enabled']);
  const rule = String(input['rrule'] ?? before?.['rrule']);
  if (!before || rule !== before['rrule'] || enabled !== before['enabled'])
    Object.assign(input, await columnsOfRule(rule, { enabled }));
  await checkSavedPrompts(services, context, savedOfSchedule);
}

/** What everybody else sees of a change. */
function following({
  bus,
}: Pick<ScheduleServices, 'bus'>): Pick<Resource, 'afterCreate' | 'afterUpdate' | 'afterDelete'> {
  const tell = async (trx: Knex, ...rows: Row[]) => {
    await showNextSchedules(
      trx,
      rows.map((row) => Number(row['unified_job_template_id'])),
    );
    await bus.notify(trx, 'schedules', { schedules: [rows[0]!.id] });
  };
  return {
    afterCreate: ({ trx }, row) => tell(trx, row),
    afterUpdate: ({ trx, before }, row) => tell(trx, row, before),
    afterDelete: (trx, row) => tell(trx, row),
  };
}
