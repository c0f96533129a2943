import { type Action, type Actor, ApiError, field, type Rule, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { RunEntry } from '../../runs/entries.ts';
import { statusSql } from '../../runs/followers/tell-changes.ts';
import type { ApprovalServices } from './services.ts';
import { tellOfApproval } from './tell.ts';

type Vote = 'approve' | 'deny';

const refused = (error: string) => new ApiError(400, { error });
const longestComment = 4096;

/** `approve/` and `deny/` of an approval (contract B4): a vote, and the decision once there are enough of them. */
export const decideAction = (
  services: ApprovalServices,
  vote: Vote,
  rules: { see: Rule; start: Rule; deny: Rule },
): Action => ({
  access: { GET: rules.see, POST: vote === 'approve' ? rules.start : rules.deny },
  summary: vote === 'approve' ? 'Let the workflow go on' : 'Have the workflow take the way for failures',
  fields: { comment: field.text({ max: longestComment }) },
  answers: { GET: { fields: { job_explanation: field.text() } }, POST: { status: 204, empty: true } },
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: { job_explanation: row['job_explanation'] ?? '' } };
    const comment = String(call.body['comment'] ?? '');
    await services.db.transaction((trx) => decide(trx, services, { id: row.id, vote, comment, actor: call.actor! }));
    return { status: 204 };
  },
});

interface Deciding {
  id: number;
  vote: Vote;
  comment: string;
  actor: Actor;
}

/** Under the lock of its row: two who decide at once count both, and the end comes once. */
async function decide(trx: Knex, services: ApprovalServices, { id, vote, comment, actor }: Deciding): Promise<void> {
  const run: RunRow | undefined = await trx('runs').where({ id }).forNoKeyUpdate().first();
  if (!run || run.status !== 'pending') throw refused('This workflow step has already been approved or denied.');
  const [stored] = await trx('workflow_approval_votes')
    .insert({ run_id: id, user_id: actor.id, username: actor.username, vote, comment })
    .onConflict(['run_id', 'user_id'])
    .ignore()
    .returning('id');
  if (!stored) throw refused('You have voted on this workflow step already.');
  const [{ count }] = await trx('workflow_approval_votes').where({ run_id: id, vote: 'approve' }).count();
  const decided = vote === 'deny' || Number(count) >= Number(run.data['required_approvals'] ?? 1);
  const to = vote === 'approve' ? 'successful' : 'failed';
  const changes = {
    vote: ['', vote],
    ...(comment && { comment: ['', comment] }),
    ...(decided && { status: [run.status, to] }),
  };
  await services.entries.voted(trx, { run, action: vote, actor, changes, about: await aboutIt(trx, run) });
  if (!decided) return tellAgain(trx, services, id);
  await services.statuses.setStatus(trx, run, to, { data: { ...run.data, decided_by: actor.id } });
  await tellOfApproval(trx, services, run, vote === 'approve' ? 'approved' : 'denied');
}

/** The step, the run that it belongs to, and the workflow. */
async function aboutIt(trx: Knex, run: RunRow): Promise<RunEntry['about']> {
  const parent = await trx('runs')
    .where({ id: run.parent_id as number })
    .first('id', 'kind', 'name');
  const workflow = await trx('templates')
    .where({ id: run['workflow_id'] as number | null })
    .first('id', 'kind', 'name');
  return [run, parent, workflow].filter((one) => one !== undefined);
}

/** Clients that follow it read again how many votes there are. */
async function tellAgain(trx: Knex, { bus }: ApprovalServices, id: number): Promise<void> {
  const [run] = await trx('runs')
    .where({ id })
    .update({ status_seq: trx.raw('status_seq + 1'), modified: trx.fn.now() })
    .returning(trx.raw(`${statusSql} as message`));
  await bus.notify(trx, 'status', run.message);
}
