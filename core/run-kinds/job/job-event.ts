import {
  type Action,
  type Resource,
  type Row,
  type Rule,
  type RunRow,
  type Sublist,
  defineResource,
  field,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, integer, mapOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { childrenSummary, mostEvents, unfinishedSummary } from '../../events/children-summary.ts';
import { eventFields, eventLists, onlyOf } from '../../runs/event-fields.ts';
import { ofSeenRun, type Visible } from '../../runs/access.ts';
import { isTerminal } from '../../runs/states.ts';
import type { Settings } from '../../settings/settings.ts';
import { summariesOfJob } from './summaries-of-job.ts';

/** Events of every kind of run share a table; an id of another kind's event is none of a job's, for superusers neither. */
const ofJob = (see: Rule): Rule => ({
  ...see,
  row: async (actor, row, db) => row.run_kind === 'job' && (await see.row(actor, row, db)),
});

export const jobEventResource = ({ settings, visible }: { settings: Settings; visible: Visible }): Resource =>
  defineResource({
    ...eventLists(settings),
    type: 'job_event',
    path: 'job_events',
    label: 'Job event',
    description: 'One step of a job as the engine told it: a play, a task, or what came of it on a host.',
    access: { see: ofJob(ofSeenRun(visible, { kind: 'job' })) },
    fields: {
      job: field.ref('job', { mode: 'ro', column: 'run_id' }),
      ...eventFields,
      event_level: field.integer({ mode: 'ro' }),
      parent_uuid: field.string({ mode: 'ro' }),
      host: field.ref('host', { mode: 'ro' }),
    },
    sublists: { children: { resource: 'job_event', where: childrenOf } },
    summaries: (db, rows) => summariesOfJob(db, rows, { role: {} }),
  });

function childrenOf(builder: Knex.QueryBuilder, parent: Row & { run_id: number; uuid: string }, alias: string): void {
  builder.where({ [`${alias}.run_id`]: parent.run_id, [`${alias}.parent_uuid`]: parent.uuid || null });
}

/** For the descriptors of jobs, hosts and groups. */
export const jobEvents: Sublist = { resource: 'job_event', column: 'run_id' };
const onlyJobs = onlyOf('job');
export const hostJobEvents: Sublist = {
  resource: 'job_event',
  column: 'host_id',
  where: onlyJobs,
  orderBy: ['id'],
};
export const groupJobEvents: Sublist = {
  resource: 'job_event',
  where(builder, group, alias) {
    ofGroup(builder, group, alias);
    onlyJobs(builder, group, alias);
  },
  orderBy: ['id'],
};

/** Hosts of a group and of the groups inside it. */
export const inGroup = `with recursive inside(id) as (
    select ?::bigint union select c.child_id from group_children c join inside i on c.parent_id = i.id)
  select m.host_id from group_hosts m join inside i on m.group_id = i.id`;

/** Rows about those. */
export function ofGroup(builder: Knex.QueryBuilder, group: { id: number }, alias: string): void {
  builder.whereRaw(`${alias}.host_id in (${inGroup})`, [group.id]);
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
  async handler(_call, run: RunRow) {
    if (!isTerminal(run.status)) return { status: 200, body: unfinishedSummary };
    const events = await db('run_events')
      .where({ run_id: run.id })
      .orderBy('counter')
      .limit(mostEvents + 1)
      .select('counter', 'event', 'uuid', 'parent_uuid');
    return { status: 200, body: childrenSummary(events) };
  },
});
