import type { Actor, Columns } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Models } from '../links.ts';
import { keyOf, type ModelField } from '../model.ts';
import { ofType } from '../read/sql.ts';
import type { ValidatedInput } from './schema.ts';

/** Do the new values of these links point at rows that the caller may see? All in one statement; what is wrong goes to `errors`. */
export async function checkReferences(
  models: Models,
  refs: readonly ModelField[],
  { input, errors, sent }: ValidatedInput,
  actor: Actor | null,
  trx: Knex,
  before?: Columns,
): Promise<void> {
  const asked = refs
    .filter((ref) => sent.has(ref.name) && !errors[ref.name])
    .map((ref) => ({ ...ref, key: keyOf(ref) }))
    .filter(({ key }) => input[key] !== null && input[key] !== before?.[key]);
  const known = asked.filter(({ field }) => models.has(field.target!));
  if (!known.length) return;
  const columns = Object.fromEntries(
    known.map(({ name, key, field }) => {
      const target = models.get(field.target!)!;
      const found = trx
        .from(`${target.table} as r`)
        .select('r.id')
        .where('r.id', input[key] as number);
      ofType(target, found, 'r');
      target.resource.access.see.query(actor, found, 'r');
      return [name, found];
    }),
  );
  const [row] = await trx.select(columns);
  for (const { name, key } of known) {
    if (row[name] === null) errors[name] = [`Invalid pk "${input[key]}" - object does not exist.`];
  }
}
