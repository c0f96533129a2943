import type { Knex } from 'knex';
import { mergeVariables, readVariables, sameValue } from '../../yaml/variables.ts';
import { inventoryVariables } from '../document.ts';

const atOnce = 500;

interface Differing {
  name: string;
  own: string;
  given: string;
}

/** Variables with those of the source over them; the text stays where that changes nothing. */
export async function mergedText(own: string, given: string): Promise<string> {
  const [before, brought] = [await inventoryVariables(own), await readVariables(given)];
  const merged = mergeVariables(before, brought);
  return sameValue(before, merged) ? own : JSON.stringify(merged);
}

/**
 * Without `overwrite_vars` what somebody added stays: the staged variables of whoever is there already become what they
 * would be together. Few at a time, and only those that differ; asked again, only those that somebody changed or cleared since.
 */
export async function mergeStaged(trx: Knex.Transaction, table: 'hosts' | 'groups', inventory: number): Promise<void> {
  // those that differ are looked up by name, a few at a time
  await trx.raw(`create index if not exists staged_${table}_name on staged_${table} using hash (name)`);
  await trx.raw(
    `declare differing_${table} cursor for select s.name, o.variables as own, coalesce(s.given, s.variables) as given
     from staged_${table} s join ${table} o on o.inventory_id = ? and o.name = s.name
     where o.variables <> s.variables and (o.variables <> '' or s.seen is not null) and s.seen is distinct from md5(o.variables)`,
    [inventory],
  );
  for (;;) {
    const { rows }: { rows: Differing[] } = await trx.raw(`fetch ${atOnce} from differing_${table}`);
    if (!rows.length) break;
    const texts: string[] = [];
    for (const { own, given } of rows) texts.push(await mergedText(own, given));
    await trx.raw(
      `update staged_${table} s set variables = m.variables, given = coalesce(s.given, s.variables), seen = md5(m.own)
       from unnest(?::text[], ?::text[], ?::text[]) as m (name, variables, own) where s.name = m.name`,
      [rows.map(({ name }) => name), texts, rows.map(({ own }) => own)],
    );
  }
  await trx.raw(`close differing_${table}`);
}
