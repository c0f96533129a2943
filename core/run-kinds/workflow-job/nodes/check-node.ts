import { randomUUID } from 'node:crypto';
import { forbidden, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkSavedPrompts, type SavedDeps } from '../../../runs/saved-prompts/check.ts';
import type { RunKinds } from '../../../runs/kinds.ts';
import { launchRule } from '../../../runs/templates/launch-right.ts';
import { ofNodes } from './saved.ts';

/** contract B3, over the node as it will be. */
export async function checkNode(deps: SavedDeps, context: WriteContext): Promise<void> {
  const { trx, input, before } = context;
  const column = 'unified_job_template_id';
  if (!before && !input['identifier']) input['identifier'] = randomUUID();
  if (input['identifier'] === '') throw ValidationError.field('identifier', 'This field may not be blank.');
  const [old, now] = [before?.[column] ?? null, (column in input ? input[column] : before?.[column]) ?? null];
  // without a template they would belong to nothing
  if (now === null) delete input['max_retries'];
  if (old !== now)
    for (const id of [old, now]) if (typeof id === 'number') await assertMayLaunch(trx, deps.kinds, context, id);
  await checkSavedPrompts(deps, context, ofNodes);
}

/** Who makes a node must be allowed to launch what it names; an approval is its workflow's own. */
async function assertMayLaunch(trx: Knex, kinds: RunKinds, { call }: WriteContext, id: number): Promise<void> {
  const row = await trx('templates').where({ id }).first();
  const kind = row && kinds.ofTemplate(row.kind);
  if (!row || !kind) throw ValidationError.field('unified_job_template', `Invalid pk "${id}" - object does not exist.`);
  if (kind.unlisted) return;
  const rule = launchRule(kinds, row.kind);
  if (!rule || !(await rule.row(call.actor, row, trx)))
    throw forbidden(`You do not have the right to launch ${row.name}.`);
}
