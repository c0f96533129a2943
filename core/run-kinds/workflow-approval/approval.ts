import { type Actor, field, type Row, type RunDescriptor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { isoSql } from '../../runs/columns.ts';
import { decideAction } from './decide-action.ts';
import { type approvalAccess, decides } from './rules.ts';
import type { ApprovalServices } from './services.ts';

const ro = { mode: 'ro' } as const;
const kept = (name: string) => `({alias}.data ->> '${name}')`;

/** What a row is shown with of others, besides the run that it is a step of. */
const aroundSql = {
  shown_workflow: `(select jsonb_build_object('id', ut.id, 'name', ut.name, 'description', ut.description) from templates ut where ut.id = {alias}.workflow_id)`,
  shown_template: `(select jsonb_build_object('id', ut.id, 'name', ut.name, 'description', ut.description, 'timeout', {alias}.timeout) from templates ut where ut.id = {alias}.template_id)`,
  shown_decider: `(select jsonb_build_object('id', u.id, 'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name)
    from users u where u.id = ${kept('decided_by')}::bigint)`,
  voters: `(select coalesce(jsonb_agg(v.user_id), '[]') from workflow_approval_votes v where v.run_id = {alias}.id)`,
  expires: `case when {alias}.status = 'pending' and {alias}.timeout > 0 then ${isoSql(`({alias}.created + {alias}.timeout * interval '1 second')`)} end`,
};

const received = `(select count(*) from workflow_approval_votes v where v.run_id = {alias}.id and v.vote = 'approve')::integer`;

type Shown = Record<string, unknown> | null;

/** contract B4 */
export const approvalDescriptor = (
  services: ApprovalServices,
  access: ReturnType<typeof approvalAccess>,
): RunDescriptor => ({
  path: 'workflow_approvals',
  label: 'Workflow approval',
  description: 'A step of a workflow that waits until somebody approves or denies it.',
  without: ['execution_node', 'instance_group', 'event_processing_finished', 'pending_reasons', 'started'],
  summary: ['id', 'name', 'description', 'status', 'failed', 'elapsed', 'canceled_on'],
  hiddenColumns: ['label_ids'],
  orderBy: ['id'],
  fields: {
    started: field.datetime({ ...ro, sql: '{alias}.created' }),
    timeout: field.integer(ro),
    timed_out: field.boolean({ ...ro, sql: `${kept('timed_out')}::boolean` }),
    on_timeout: field.choice(['deny', 'approve'], { ...ro, sql: kept('on_timeout') }),
    required_approvals: field.integer({ ...ro, sql: `${kept('required_approvals')}::integer` }),
    context_message: field.text({ ...ro, sql: kept('context_message'), detailOnly: true, filterable: false }),
    event_processing_finished: field.computed({ detailOnly: true, compute: () => true }),
    approval_expiration: field.computed({ compute: (row) => row['expires'] ?? null }),
    approvals_received: field.integer({ ...ro, sql: received, filterable: false }),
    user_has_voted: field.computed({ compute: (row, { actor }) => hasVoted(row, actor) }),
    can_approve_or_deny: field.computed({ compute: () => false }),
  },
  extraSql: aroundSql,
  sublists: { votes: { resource: 'workflow_approval_vote', column: 'run_id' } },
  actions: {
    approve: decideAction(services, 'approve', access),
    deny: decideAction(services, 'deny', access),
  },
  related: links,
  async summaries(db, rows, { actor }) {
    const [shown, decidable] = [summaries(rows), await decidableBy(db, rows, actor)];
    for (const { id } of rows) Object.assign(shown.get(id)!, { may_decide: decidable.has(id) });
    return shown;
  },
  present(shown, row) {
    const { may_decide: may, ...rest } = shown.summary_fields;
    shown.summary_fields = rest;
    shown['can_approve_or_deny'] = may === true && row['status'] === 'pending';
  },
});

/** Those that the actor may deny, and, unless it is its own, approve. */
async function decidableBy(db: Knex, rows: readonly Row[], actor: Actor | null): Promise<Set<number>> {
  const pending = rows.filter(({ status }) => status === 'pending').map(({ id }) => id);
  if (!pending.length) return new Set();
  const found = db('runs as t').whereIn('t.id', pending);
  decides.query(actor, found, 't');
  return new Set(await found.pluck('t.id'));
}

const hasVoted = (row: Row, actor: Actor | null) => actor !== null && (row['voters'] as number[]).includes(actor.id);

function links(row: Row): Record<string, string | null> {
  const decider = row['shown_decider'] as Shown;
  const template =
    row['template_id'] === null ? null : `/api/v2/workflow_approval_templates/${String(row['template_id'])}/`;
  return {
    workflow_approval_template: template,
    unified_job_template: template,
    approved_or_denied_by: decider && `/api/v2/users/${String(decider['id'])}/`,
  };
}

function summaries(rows: readonly Row[]): Map<number, Record<string, unknown>> {
  return new Map(
    rows.map((row) => {
      const template = row['shown_template'] as Shown;
      const parent = row['source_run'] as Shown;
      const shown = {
        workflow_job_template: row['shown_workflow'],
        workflow_job: parent && { id: parent['id'], name: parent['name'], description: parent['description'] },
        workflow_approval_template: template,
        unified_job_template: template && { ...template, unified_job_type: row['kind'] },
        approved_or_denied_by: row['shown_decider'],
      };
      return [row.id, Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null))];
    }),
  );
}
