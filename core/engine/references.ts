import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Models } from './links.ts';
import type { Model } from './model.ts';
import { ofType } from './sql.ts';
import type { ValidatedInput } from './schema.ts';

/** Do the new links point at rows that the caller may see? All of them in one statement; what is wrong goes to `errors`. */
export async function checkReferences(
  models: Models,
  model: Model,
  { input, errors, sent }: ValidatedInput,
  actor: Actor | null,
  trx: Knex,
  before?: any,
): Promise<void> {
  const asked = model.refs.filter(
    ({ name, column }) =>
      sent.has(name) && !errors[name] && column && input[column] !== null && input[column] !== before?.[column],
  );
  const known = asked.filter(({ field }) => models.has(field.target!));
  if (!known.length) return;
  const columns = Object.fromEntries(
    known.map(({ name, column, field }) => {
      const target = models.get(field.target!)!;
      const found = trx.from(`${target.table} as r`).select('r.id').where('r.id', input[column!]);
      ofType(target, found, 'r');
      target.resource.access.see.query(actor, found, 'r');
      return [name, found];
    }),
  );
  const [row] = await trx.select(columns as any);
  for (const { name, column } of known) {
    if (row[name] === null) errors[name] = [`Invalid pk "${input[column!]}" - object does not exist.`];
  }
}
