import { type Action, type Resource, type Rule, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, integer, mapOf, record, text } from '../engine/json-schema.ts';
import { childrenSummary, unfinishedSummary } from '../events/children-summary.ts';
import { eventIdSql, eventKey } from '../events/event-id.ts';
import { jobSummaries } from '../events/run-summary.ts';
import { truncateText } from '../events/truncate.ts';
import { eventDisplay } from '../events/vocabulary.ts';
import { isTerminal } from '../jobs/states.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import type { Settings } from '../settings/settings.ts';

/** Events of every kind of run share a table; an id of another kind's event is none of a job's, for superusers neither. */
const ofJob = (see: Rule): Rule => ({
  ...see,
  row: async (actor, row, db) => row.run_kind === 'job' && (await see.row(actor, row, db)),
});

/** What events of every kind of run have. */
export const commonFields = {
  event: field.string({ mode: 'ro' }),
  counter: field.integer({ mode: 'ro' }),
  event_display: field.computed({ compute: eventDisplay }),
  event_data: field.json({ mode: 'ro' }),
  failed: field.boolean({ mode: 'ro' }),
  changed: field.boolean({ mode: 'ro' }),
  uuid: field.string({ mode: 'ro' }),
  host_name: field.string({ mode: 'ro' }),
  playbook: field.string({ mode: 'ro' }),
  play: field.string({ mode: 'ro' }),
  task: field.string({ mode: 'ro' }),
  role: field.string({ mode: 'ro' }),
  stdout: field.text({ mode: 'ro' }),
  // both orders are the same within a run, and the key serves this one
  start_line: field.integer({ mode: 'ro', orderSql: '{alias}.counter' }),
  end_line: field.integer({ mode: 'ro' }),
  verbosity: field.integer({ mode: 'ro' }),
};

/** What lists of events of every kind of run do alike. */
export const eventLists = (settings: Settings) =>
  ({
    table: 'run_events',
    root: false,
    methods: { list: [], detail: ['GET'] },
    identity: { sql: eventIdSql, columns: eventKey },
    orderBy: ['start_line'],
    search: ['stdout'],
    limitParameter: true,
    listHeaders: () => ({ 'X-UI-Max-Events': String(settings.get('MAX_UI_JOB_EVENTS')) }),
    extraSql: { run_kind: '(select kind from runs where id = {alias}.run_id)' },
    present(shown, row, view, call) {
      if (view === 'list' && !row.event.startsWith('playbook_on_') && !call.query.get('no_truncate')) {
        shown.stdout = truncateText(shown.stdout, Number(settings.get('EVENT_STDOUT_MAX_BYTES_DISPLAY')));
      }
    },
  }) satisfies Partial<Resource>;

export const jobEventResource = ({
  settings,
  permissions,
}: {
  settings: Settings;
  permissions: CorePermissions;
}): Resource =>
  defineResource({
    ...eventLists(settings),
    type: 'job_event',
    path: 'job_events',
    label: 'Job event',
    description: 'One step of a job as the engine told it: a play, a task, or what came of it on a host.',
    access: { see: ofJob(permissions.job_event.see) },
    fields: {
      job: field.ref('job', { mode: 'ro', column: 'run_id' }),
      ...commonFields,
      event_level: field.integer({ mode: 'ro' }),
      parent_uuid: field.string({ mode: 'ro' }),
      host: field.ref('host', { mode: 'ro' }),
    },
    sublists: { children: { resource: 'job_event', where: childrenOf } },
    summaries: (db, rows) => jobSummaries(db, rows, { role: {} }),
  });

function childrenOf(builder: Knex.QueryBuilder, parent: { run_id: number; uuid: string }, alias: string): void {
  builder.where({ [`${alias}.run_id`]: parent.run_id, [`${alias}.parent_uuid`]: parent.uuid || null });
}

/** For the descriptors of jobs, hosts and groups. */
export const jobEvents: Sublist = { resource: 'job_event', column: 'run_id' };
export const hostJobEvents: Sublist = { resource: 'job_event', column: 'host_id', orderBy: ['id'] };
export const groupJobEvents: Sublist = { resource: 'job_event', where: ofGroup, orderBy: ['id'] };

/** Rows about the hosts of a group and of the groups inside it. */
export function ofGroup(builder: Knex.QueryBuilder, group: { id: number }, alias: string): void {
  builder.whereRaw(
    `${alias}.host_id in (
       with recursive inside(id) as (select ?::bigint union select c.child_id from group_children c join inside i on c.parent_id = i.id)
       select m.host_id from group_hosts m join inside i on m.group_id = i.id)`,
    [group.id],
  );
}

const summarySchema = record({
  children_summary: mapOf(record({ rowNumber: integer, numChildren: integer })),
  meta_event_nested_uuid: mapOf(text),
  event_processing_finished: flag,
  is_tree: flag,
});

/** `job_events/children_summary/` of a job. */
export const childrenSummaryAction = ({ db }: { db: Knex }, see: Rule): Action => ({
  access: { GET: see },
  summary: 'How many events lie below each event',
  answers: { GET: { schema: summarySchema } },
  async handler(_call, run) {
    if (!isTerminal(run.status)) return { status: 200, body: unfinishedSummary };
    const events = await db('run_events')
      .where({ run_id: run.id })
      .orderBy('counter')
      .select('counter', 'event', 'uuid', 'parent_uuid');
    return { status: 200, body: childrenSummary(events) };
  },
});
