import type { Actor, LaunchTemplate, Row, WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { missingRights, type NeededRight } from '../../rbac/rights.ts';
import { masked } from '../../secrets/masked.ts';
import type { Variables } from '../../yaml/variables.ts';
import type { RunKinds } from '../kinds.ts';
import type { SavedCheck } from './check.ts';
import { columnOf, nothingSaved, savedPromptNames } from './fields.ts';
import { promptsOf, savedLists, type SavedLists } from './launch.ts';
import { planSaved, problemsOf } from './plan.ts';
import { listsOfSaved, type SavedIn } from './store.ts';

/**
 * What a set of saved prompts takes along to another template. It was put there by others, for the template of before: whoever names
 * another one, maybe their own, would else be given credentials and secret answers to read. So it keeps what the caller may use and
 * the new template asks for; secret answers stay behind.
 * @returns the row as it is to be judged, less what stays behind, which `input` and the lists lose here
 */
export async function takenAlong(
  { kinds }: { kinds: RunKinds },
  { trx, call, input, before, sent }: WriteContext,
  { saved, origin, ahead }: SavedCheck,
  template: LaunchTemplate,
): Promise<{ row: Row; lists: SavedLists }> {
  const kept = before!;
  const leave = (name: string) => void (input[columnOf(name)] = nothingSaved[columnOf(name)]);
  const variables = sent.has('extra_data') ? {} : openOnes(kept['extra_data'] as Variables);
  if (!sent.has('inventory') && !(await mayUse(trx, call.actor, kept['inventory_id'], template))) leave('inventory');
  const lists = await usable(trx, call.actor, await listsOf(trx, saved, kept.id));
  // those that are sent are judged with the rest
  if (!sent.has('extra_data')) input['extra_data'] = variables;
  const rowNow = () => ({ ...nothingSaved, ...kept, ...input }) as Row;
  const row = rowNow();
  const plan = await planSaved(kinds, trx, template, {
    prompts: promptsOf(row, variables, lists),
    secretVariables: {},
    origin,
    ip: call.ip,
    ahead,
  });
  for (const name of Object.keys(problemsOf(plan))) {
    if (savedPromptNames.includes(name) && !sent.has(name)) leave(name);
    for (const list of listsOfSaved) if (list.name === name) lists[list.name] = [];
  }
  await keepOnly(trx, saved, kept.id, lists);
  return { row: rowNow(), lists };
}

const openOnes = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== masked));

/** The template's own inventory may be named by everybody. */
async function mayUse(trx: Knex, actor: Actor | null, id: unknown, template: LaunchTemplate): Promise<boolean> {
  if (typeof id !== 'number' || id === Reflect.get(template, 'inventory_id')) return true;
  return (await missingRights(trx, actor, [{ type: 'inventory', field: 'use_role', id }])).length === 0;
}

/** Whom a list names is asked for as when it is put on; labels may be put on by everybody who sees them. */
const uses: Partial<Record<string, NeededRight['type']>> = {
  credentials: 'credential',
  instance_groups: 'instance_group',
};

async function usable(trx: Knex, actor: Actor | null, lists: SavedLists): Promise<SavedLists> {
  const needed = Object.entries(lists).flatMap(([name, ids]) => {
    const type = uses[name];
    return type ? ids.map((id): NeededRight => ({ type, field: 'use_role', id })) : [];
  });
  const missing = await missingRights(trx, actor, needed);
  const isMissing = (name: string, id: number) => missing.some((right) => right.type === uses[name] && right.id === id);
  const kept = Object.entries(lists).map(([name, ids]) => [name, ids.filter((id) => !isMissing(name, id))]);
  return Object.fromEntries(kept) as SavedLists;
}

const listsOf = async (trx: Knex, saved: SavedIn, row: number): Promise<SavedLists> =>
  (await savedLists(trx, saved, [row])).get(row)!;

async function keepOnly(trx: Knex, { lists: stem, key }: SavedIn, row: number, lists: SavedLists): Promise<void> {
  for (const { name, column } of listsOfSaved)
    // of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await trx(`${stem}_${name}`)
      .where({ [key]: row })
      .whereNotIn(column, lists[name])
      .delete();
}

/** What rows have saved, for a template that they do not launch any more, is gone. */
export async function forgetSaved(trx: Knex, saved: SavedIn, rows: readonly number[]): Promise<void> {
  if (!rows.length) return;
  await trx(saved.table)
    .whereIn('id', rows)
    .update({ ...nothingSaved, survey_passwords: null });
  for (const { name } of listsOfSaved)
    // of one transaction
    // oxlint-disable-next-line no-await-in-loop
    await trx(`${saved.lists}_${name}`).whereIn(saved.key, rows).delete();
}
