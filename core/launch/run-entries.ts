import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Part, runPrepared, together } from '../engine/prepared.ts';

/** Writes launches and cancels into the activity stream, in their own transactions. */
export interface RunEntries {
  launched(trx: Knex, run: { id: number }): Promise<void>;
  /** The same, for the statement that inserts the run. */
  ofInsertion(): Part[];
  canceled(trx: Knex, run: { id: number }, actor: Actor | null): Promise<void>;
}

interface Deps {
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  /** name of this node */
  node: string;
}

/** Updates of projects and inventories are upkeep: clients do not look for them there. */
const kinds = ['job', 'ad_hoc_command', 'workflow_job'];

const link = (alias: string) => `${alias}.name || '-' || ${alias}.id`;
const launched = `jsonb_strip_nulls(jsonb_build_object(
  'id', r.id, 'name', r.name, 'launch_type', r.launch_type, 'unified_job_template', ${link('t')}, 'inventory', ${link('i')}, 'project', ${link('p')},
  'job_type', r.job_type, 'playbook', r.playbook, 'limit', r."limit", 'scm_branch', r.scm_branch, 'job_tags', r.job_tags, 'skip_tags', r.skip_tags,
  'verbosity', r.verbosity, 'forks', r.forks, 'diff_mode', r.diff_mode, 'timeout', r.timeout))`;

/** The entry, and that it is about `run` and about what that was launched from. */
const entry =
  (operation: 'create' | 'update', changes: string, actor: (parameter: number) => string) =>
  (node: string, ...more: unknown[]): Part => ({
    values: [node, kinds, ...more],
    sql: (first) => `
      subject as (
        select r.id, r.kind, r.name, r.description, r.organization_id, t.id as template_id, t.kind as template_kind, t.name as template_name,
          u.id as actor_id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) as actor_names, ${changes} as changes
        from run r left join templates t on t.id = r.template_id left join inventories i on i.id = r.inventory_id
          left join templates p on p.id = r.project_id
          left join users u on u.id = ${actor(first + 2)}
        where r.kind = any ($${first + 1})),
      entry as (
        insert into activity_stream (operation, actor_id, actor_names, object1, action_node, organization_id, changes)
        select '${operation}', actor_id, actor_names, kind, $${first}, organization_id, changes from subject
        returning id),
      named as (
        insert into activity_objects (activity_id, type, object_id, summary)
        select entry.id, kind, subject.id, jsonb_build_object('id', subject.id, 'name', name, 'description', description) from entry, subject
        union all
        select entry.id, template_kind, template_id, jsonb_build_object('id', template_id, 'name', template_name) from entry, subject where template_id is not null)`,
  });

const launch = entry('create', launched, () => 'r.actor_id');
const cancel = entry('update', `'{"cancel_flag": [false, true]}'::jsonb`, (parameter) => `$${parameter}::bigint`);

const stored = ({ id }: { id: number }): Part => ({
  sql: (first) => `run as (select * from runs where id = $${first})`,
  values: [id],
});

export function createRunEntries({ settings, node }: Deps): RunEntries {
  const enabled = () => settings.get('ACTIVITY_STREAM_ENABLED') !== false;
  const write = async (trx: Knex, run: { id: number }, part: Part) => {
    if (enabled()) await runPrepared(trx, ...together([stored(run), part], 'entry.id', 'entry'));
  };
  return {
    launched: (trx, run) => write(trx, run, launch(node)),
    ofInsertion: () => (enabled() ? [launch(node)] : []),
    canceled: (trx, run, actor) => write(trx, run, cancel(node, actor && actor.id > 0 ? actor.id : null)),
  };
}
