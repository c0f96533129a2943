import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared, statement } from '../engine/prepared.ts';

/** Writes launches and cancels into the activity stream, in their own transactions. */
export interface RunEntries {
  launched(trx: Knex, run: { id: number }): Promise<void>;
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

/** One statement: the entry, and that it is about the run and about what it was launched from. */
const insertion = (operation: 'create' | 'update', actor: string, changes: string) =>
  statement(`
    with run as (
      select r.id, r.kind, r.name, r.description, r.organization_id, t.id as template_id, t.kind as template_kind, t.name as template_name,
        u.id as actor_id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) as actor_names, ${changes} as changes
      from runs r left join templates t on t.id = r.template_id left join inventories i on i.id = r.inventory_id
        left join templates p on p.id = r.project_id left join users u on u.id = ${actor}
      where r.id = $1 and r.kind = any ($3)
    ), entry as (
      insert into activity_stream (operation, actor_id, actor_names, object1, action_node, organization_id, changes)
      select '${operation}', actor_id, actor_names, kind, $2, organization_id, changes from run
      returning id
    )
    insert into activity_objects (activity_id, type, object_id, summary)
    select entry.id, kind, run.id, jsonb_build_object('id', run.id, 'name', name, 'description', description) from entry, run
    union all
    select entry.id, template_kind, template_id, jsonb_build_object('id', template_id, 'name', template_name) from entry, run where template_id is not null`);

const launch = insertion('create', 'r.actor_id', launched);
const cancel = insertion('update', '$4::bigint', `'{"cancel_flag": [false, true]}'::jsonb`);

export function createRunEntries({ settings, node }: Deps): RunEntries {
  const enabled = () => settings.get('ACTIVITY_STREAM_ENABLED') !== false;
  return {
    async launched(trx, { id }) {
      if (enabled()) await runPrepared(trx, launch, [id, node, kinds]);
    },
    async canceled(trx, { id }, actor) {
      if (enabled()) await runPrepared(trx, cancel, [id, node, kinds, actor && actor.id > 0 ? actor.id : null]);
    },
  };
}
