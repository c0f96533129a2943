import { type Row, type RunPlan, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { unlinkUnusable } from '../../descriptors/write/leave-out.ts';
import { missingRights } from '../../rbac/rights.ts';
import { masked } from '../../secrets/masked.ts';
import type { Variables } from '../../yaml/variables.ts';
import { columnOf, listsOfSaved, nothingSaved, savedPromptNames } from './fields.ts';
import type { SavedIn } from './store.ts';

/** Nothing of what a row had saved stays where it launches nothing, or no longer the same: for its columns. */
export const forgotten = { ...nothingSaved, survey_passwords: null };

/** The same for the lists of some rows. */
export async function emptyLists(
  trx: Knex,
  saved: SavedIn,
  rows: readonly number[],
  names: readonly string[] = listsOfSaved.map(({ name }) => name),
): Promise<void> {
  if (!rows.length) return;
  for (const name of names)
    // three of them, in one transaction
    // oxlint-disable-next-line no-await-in-loop
    await trx(`${saved.lists}_${name}`)
      .whereRaw('?? = any (?)', [saved.key, [...rows]])
      .delete();
}

type Moved = WriteContext & { before: Row };

/**
 * What others saved goes to another template only where whoever moves it may use it: the credentials of a row that one may
 * edit would else be given to a playbook of one's own. What is sent along and may not be used is refused, the rest is left behind.
 * @throws ApiError 403
 */
export async function leaveUnusable(context: Moved, saved: SavedIn, template: Row): Promise<void> {
  const { trx, call, before } = context;
  await leaveColumn(context, 'inventory_id', template, async (id) => {
    const needed = { type: 'inventory', field: 'use_role', id } as const;
    return !(await missingRights(trx, call.actor, [needed])).length;
  });
  await leaveColumn(context, 'execution_environment_id', template, async (id) =>
    (await call.visible('execution_environment', [id])).has(id),
  );
  const linked = (list: string) => trx(`${saved.lists}_${list}`).where({ [saved.key]: before.id });
  await unlinkUnusable(trx, call, linked('credentials'), 'credential');
  await unlinkUnusable(trx, call, linked('instance_groups'), 'instance_group');
  await unlinkUnusable(trx, call, linked('labels'), 'label');
}

/** The template's own may be named by everybody, and what is named anew is judged as always. */
async function leaveColumn(
  { input, before }: Moved,
  column: string,
  template: Row,
  mayUse: (id: number) => Promise<boolean>,
): Promise<void> {
  const id = before[column];
  if (typeof id !== 'number' || id === template[column] || (column in input && input[column] !== id)) return;
  if (await mayUse(id)) return;
  if (column in input)
    throw forbidden(`You do not have the right to use the ${column.slice(0, -3).replace('_', ' ')} ${id}.`);
  input[column] = null;
}

/**
 * Variables of a row that goes to another template, where none are sent along. Its secret answers stay behind: nobody but a superuser can
 * be told to have a right to them.
 */
export const withoutSecrets = (shown: Variables): Variables =>
  Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== masked));

/**
 * Leaves behind what was not sent along and the other template does not ask for, or not in this way: whether there was any, so
 * that the rest is to be judged anew.
 */
export async function leaveUnasked(
  { trx, input, before }: Moved,
  saved: SavedIn,
  plan: Pick<RunPlan, 'errors' | 'ignored'>,
  answers: { open: Variables; secret: Variables },
): Promise<boolean> {
  const wrong = new Set([...Object.keys(plan.ignored ?? {}), ...Object.keys(plan.errors ?? {})]);
  const columns = savedPromptNames
    .filter((name) => name !== 'extra_data' && wrong.has(name))
    .map(columnOf)
    .filter((column) => !(column in input) && (before[column] ?? null) !== null);
  for (const column of columns) input[column] = null;
  const lists = listsOfSaved.map(({ name }) => name).filter((name) => wrong.has(name));
  if (lists.length) await emptyLists(trx, saved, [before.id], lists);
  const variables = 'extra_data' in input ? [] : unasked(plan, answers);
  for (const name of variables) {
    delete answers.open[name];
    delete answers.secret[name];
  }
  return columns.length + lists.length + variables.length > 0;
}

/** Answers to other questions than those of the template: all of them where one does not fit. */
function unasked(
  { errors, ignored }: Pick<RunPlan, 'errors' | 'ignored'>,
  answers: { open: Variables; secret: Variables },
): string[] {
  const names = Object.keys({ ...answers.open, ...answers.secret });
  if (errors?.['variables_needed_to_start'] || errors?.['extra_vars']) return names;
  const more = Object.keys((ignored?.['extra_vars'] ?? {}) as object);
  return names.filter((name) => more.includes(name));
}
