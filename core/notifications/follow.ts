import type { MovedRun, RunStatus } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type Part, runPrepared, statement } from '../db/prepared.ts';
import { safeJson } from '../db/safe-text.ts';
import { QUEUE_SCHEMA } from '../queue/tasks.ts';
import type { ApprovalEvent, RunEvent } from './default-messages.ts';

export const TASK = 'core:notify';
/** Notifications have places of their own in the queue: targets that do not answer keep nobody else waiting. */
export const LANE = 'core-notifications';
/** The pauses between them grow: over a minute and a half in all. */
export const mostAttempts = 5;
/** Those that a node's end cut short included: nobody was asked, or nobody heard the answer. */
export const mostStarts = 15;

const events: Partial<Record<RunStatus, RunEvent>> = {
  running: 'started',
  successful: 'success',
  failed: 'error',
  error: 'error',
  canceled: 'error',
};

/** Statements that store one notification for each template that is asked for, and enqueue their deliveries. */
const queueSql = (found: string) => `
  noted as (
    insert into notifications (notification_template_id, notification_type, run_id, event, source)
    select found.notification_template_id, nt.notification_type, found.run_id, found.event, found.source
    from (${found}) found join notification_templates nt on nt.id = found.notification_template_id
    returning id
  ), deliveries as (
    select array_agg(row('${TASK}', json_build_object('notification', id), null, null, ${mostStarts}, '${TASK}:' || id, 0, array['${LANE}'])::${QUEUE_SCHEMA}.job_spec) as specs
    from noted
  ), notified as (
    select count(*) from deliveries cross join lateral ${QUEUE_SCHEMA}.add_jobs(deliveries.specs, false) where deliveries.specs is not null
  )`;

/** A run's templates: its own, its project's where its kind says so, and those of its organization; each once. */
const askedSql = (run: string, event: string, byProject: string) => `
  select notification_template_id from template_notifications
  where event = ${event} and template_id in (${run}.template_id, case when ${run}.kind = any (${byProject}) then ${run}.project_id end)
  union
  select notification_template_id from organization_notifications
  where event = ${event} and organization_id = ${run}.organization_id`;

interface Kinds {
  all(): readonly { kind: string; notifies?: { project?: true; moves?: false } }[];
}

/**
 * Word of a run is stored and enqueued within the statement that moves it: where no template asks for it, it costs two
 * looks into an index and no statement. A run that nobody saw yet ends unheard, unless
 * it was refused or could not be decided about.
 */
export const noteMoves = (kinds: Kinds) => {
  let byProject: string[] | undefined;
  let silent: string[] | undefined;
  return (to: RunStatus): Part | undefined => {
    const event = events[to];
    if (!event) return undefined;
    byProject ??= kinds.all().flatMap(({ kind, notifies }) => (notifies?.project ? [kind] : []));
    silent ??= kinds.all().flatMap(({ kind, notifies }) => (notifies?.moves === false ? [kind] : []));
    const heard = to === 'failed' || to === 'error' ? 'true' : `moved.from_status <> 'new'`;
    return {
      values: [byProject, silent],
      sql: (first) =>
        queueSql(`
          select asked.notification_template_id, moved.id as run_id, '${event}' as event,
            jsonb_build_object('status', moved.status, 'started', moved.started, 'finished', moved.finished) as source
          from moved cross join lateral (${askedSql('moved', `'${event}'`, `$${first}::text[]`)}) asked
          where ${heard} and moved.kind <> all ($${first + 1}::text[])`),
      read: 'notified',
    };
  };
};

export interface ApprovalNote {
  run: Pick<MovedRun, 'id' | 'organization_id'>;
  /** the template whose list `notification_templates_approvals` counts, beside its organization's */
  template: number;
  event: ApprovalEvent;
  /** `approval_node_name`, `workflow_url` and what else the texts may read */
  variables: Readonly<Record<string, string>>;
}

/** Word of an approval, in the transaction of what happened to it. */
export async function noteApproval(trx: Knex, { run, template, event, variables }: ApprovalNote): Promise<void> {
  await runPrepared(
    trx,
    statement(
      `with ${queueSql(`
      select asked.notification_template_id, $1::bigint as run_id, $4::text as event, $5::jsonb as source from (
        select notification_template_id from template_notifications where event = 'approvals' and template_id = $2::bigint
        union
        select notification_template_id from organization_notifications where event = 'approvals' and organization_id = $3::bigint
      ) asked`)} select * from notified`,
    ),
    [
      run.id,
      template,
      run.organization_id,
      `approvals.${event}`,
      safeJson({ variables: { approval_status: event, ...variables } }),
    ],
  );
}
