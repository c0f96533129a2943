import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Variables } from '../../yaml/variables.ts';
import { sealAnswers, shownAnswers } from './answers.ts';
import { columnOf, listsOfSaved, savedPromptNames } from './fields.ts';
import type { SavedIn } from './store.ts';

export interface LaunchToSave {
  /** further columns of the row */
  columns: Record<string, unknown>;
  /** by name, read; lists as ids */
  prompts: Readonly<Record<string, unknown>>;
  open: Variables;
  secret: Variables;
}

/** Stores prompts that a launch was given as a saved set of their own. */
export async function storeLaunch(
  { trx, keyRing }: { trx: Knex; keyRing: Pick<KeyRing, 'encrypt'> },
  saved: SavedIn,
  { columns, prompts, open, secret }: LaunchToSave,
): Promise<Row> {
  const values = savedPromptNames
    .filter((name) => name !== 'extra_data' && prompts[name] !== undefined)
    .map((name) => [columnOf(name), prompts[name]]);
  const extra_data = JSON.stringify(shownAnswers({ open, secret }));
  const [row] = (await trx(saved.table)
    .insert({ ...columns, ...Object.fromEntries(values), extra_data })
    .returning('*')) as [Row];
  const survey_passwords = sealAnswers(keyRing, saved.table, row.id, secret);
  if (survey_passwords) await trx(saved.table).where({ id: row.id }).update({ survey_passwords });
  for (const { name, column } of listsOfSaved)
    // three of them, in the order that was asked for
    // oxlint-disable-next-line no-await-in-loop
    await trx.raw(
      `insert into ?? (??, ??) select ?, id from unnest(?::bigint[]) with ordinality as n(id, place) order by place`,
      [`${saved.lists}_${name}`, saved.key, column, row.id, (prompts[name] ?? []) as number[]],
    );
  return { ...row, survey_passwords };
}
