import type { Actor, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type ActivityEntry, activityEntryQueries, insertActivityEntries } from '../db/activity-entry.ts';
import { requestContext } from '../db/current-request.ts';
import { type Part, runPrepared } from '../db/prepared.ts';
import { afterCommit } from '../db/after-commit.ts';
import type { Log } from '../observe/log.ts';
import { aboutRun } from './followers/log-moves.ts';
import type { RunKinds } from './kinds.ts';

/** Writes launches, cancels, votes and denials into the activity stream and the audit log, in their own transactions, and into the log. */
export interface RunEntries {
  /** For the statement that makes a run pending (status.ts, `Along`); `credentials` that the same statement stores. */
  launching(run: { kind: string }, credentials?: readonly number[]): Part[];
  launched(trx: Knex, run: RunRow, actor: Actor | null): void;
  canceled(trx: Knex, run: RunRow, actor: Actor | null): Promise<void>;
  /** What somebody said about a run that waits for it. `action`: what the audit log calls it. */
  voted(trx: Knex, voted: RunEntry & { action: string }): Promise<void>;
  /** A launch that was denied, whether its run is kept or goes. */
  refused(trx: Knex, refused: RunEntry): Promise<void>;
}

interface Subject {
  id: number;
  kind: string;
  name?: string;
}

export interface RunEntry {
  run: RunRow;
  /** what it is about and still there: the template, the run */
  about: readonly Subject[];
  actor: Actor | null;
  changes: Record<string, unknown>;
}

interface Deps {
  settings: { get: (key: 'ACTIVITY_STREAM_ENABLED') => unknown };
  kinds: RunKinds;
  log: Pick<Log, 'info'>;
  /** name of this node */
  node: string;
}

const link = (alias: string) => `${alias}.name || '-' || ${alias}.id`;
const about = (alias: string, ...more: string[]) =>
  `jsonb_build_object('type', ${alias}.kind, 'object_id', ${alias}.id, 'summary',
    jsonb_build_object(${[`'id', ${alias}.id, 'name', ${alias}.name`, ...more].join(', ')}))`;
const launched = `jsonb_strip_nulls(jsonb_build_object(
  'id', r.id, 'name', r.name, 'launch_type', r.launch_type, 'unified_job_template', ${link('t')}, 'inventory', ${link('i')}, 'project', ${link('p')},
  'job_type', r.job_type, 'playbook', r.playbook, 'limit', r."limit", 'scm_branch', r.scm_branch, 'job_tags', r.job_tags, 'skip_tags', r.skip_tags,
  'verbosity', r.verbosity, 'forks', r.forks, 'diff_mode', r.diff_mode, 'timeout', r.timeout))`;

/** SQL of what an entry says besides the run. */
interface Told {
  node: string;
  who: string;
  /** of the request */
  ip: string;
  request: string;
  /** false: for the audit log alone */
  told: boolean;
}

/** An entry for each of `runs` (aliased r), and that it is about the run and what that was launched from. */
const entryDocuments = (
  runs: string,
  { node, who, ip, request, told }: Told,
  operation: 'create' | 'update',
  more: string,
  changes: string,
) => `
    select jsonb_build_object('operation', '${operation}', ${more} 'told', ${told}, 'object', r.kind, 'node', ${node}::text, 'user', ${who},
      'ip', coalesce(${ip}::text, r.origin->>'client_ip'), 'request_id', ${request}::text,
      'organization', r.organization_id, 'changes', ${changes},
      'about', jsonb_build_array(${about('r', `'description', r.description`)})
        || case when t.id is null then '[]' else jsonb_build_array(${about('t')}) end)
    from ${runs} r left join templates t on t.id = r.template_id left join inventories i on i.id = r.inventory_id
      left join templates p on p.id = r.project_id`;

/** For the audit log: an entry for each credential of a run that is launched; those in `ids` are stored by the same statement. */
const credentialDocuments = ({ node, ip, request }: Told, ids: string) => `
    select jsonb_build_object('operation', 'create', 'action', 'credential_use', 'told', false, 'object', 'credential', 'node', ${node}::text,
      'user', r.actor_id, 'ip', coalesce(${ip}::text, r.origin->>'client_ip'), 'request_id', ${request}::text,
      'organization', c.organization_id, 'changes', jsonb_build_object('run', r.id, 'type', r.kind, 'name', r.name),
      'about', jsonb_build_array(jsonb_build_object('type', 'credential', 'object_id', c.id, 'summary', jsonb_build_object('name', c.name))))
    from moved r, credentials c where c.id in (
      select credential_id from run_credentials where run_id = r.id union all select unnest(${ids}::bigint[]) union all select r.credential_id)`;

const launching = (told: boolean, first: number) => {
  const by = { node: `$${first}`, who: 'r.actor_id', ip: `$${first + 1}`, request: `$${first + 2}`, told };
  return activityEntryQueries(
    `${entryDocuments('moved', by, 'create', `'action', 'launch',`, launched)} union all ${credentialDocuments(by, `$${first + 3}`)}`,
  );
};

const cancelChanges = `'{"cancel_flag": [false, true]}'::jsonb`;
const cancel = (told: boolean) => ({
  name: `activity entry: cancel of a run, ${told}`,
  text: `with asked as (select * from runs where id = $1), ${activityEntryQueries(
    entryDocuments(
      'asked',
      { node: '$2', who: '$3::bigint', ip: '$4', request: '$5', told },
      'update',
      '',
      cancelChanges,
    ),
  )} select 1`,
});

export function createRunEntries({ settings, kinds, log, node }: Deps): RunEntries {
  const enabled = () => settings.get('ACTIVITY_STREAM_ENABLED') !== false;
  const told = ({ kind }: { kind: string }) => enabled() && kinds.find(kind)?.noted === true;
  const tell = (trx: Knex, run: RunRow, actor: Actor | null, text: string, more: object = {}) =>
    afterCommit(trx, () => log.info({ ...aboutRun(run), user: actor?.username ?? null, ...more }, text));
  return {
    launching(run, credentials = []) {
      const { ip = null, request_id = null } = requestContext();
      return [{ values: [node, ip, request_id, [...credentials]], sql: (first) => launching(told(run), first) }];
    },
    launched: (trx, run, actor) => tell(trx, run, actor, 'run launched', { launch_type: run.launch_type }),
    async canceled(trx, run, actor) {
      tell(trx, run, actor, 'cancel of a run asked for');
      const { ip = null, request_id = null } = requestContext();
      await runPrepared(trx, cancel(told(run)), [run.id, node, actor?.id ?? null, ip, request_id]);
    },
    async voted(trx, voted) {
      tell(trx, voted.run, voted.actor, 'vote', { action: voted.action });
      await insertActivityEntries(trx, [entryOf(voted, { action: voted.action, told: told(voted.run), node })]);
    },
    async refused(trx, refused) {
      const { tap, detail, launch_type } = refused.changes;
      tell(trx, refused.run, refused.actor, 'launch denied', { launch_type, tap, why: detail });
      const how = { action: 'launch_denied', told: enabled(), node };
      await insertActivityEntries(trx, [entryOf(refused, how)]);
    },
  };
}

const entryOf = (
  { run, about, actor, changes }: RunEntry,
  how: Pick<ActivityEntry, 'action' | 'told' | 'node'>,
): ActivityEntry => ({
  operation: 'update',
  ...how,
  object: about[0]?.kind ?? run.kind,
  user: actor?.id ?? null,
  organization: run.organization_id,
  changes,
  about: about.map(({ id, kind, name }) => ({ type: kind, object_id: id, summary: { id, name } })),
});
