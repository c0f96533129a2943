import type { Knex } from 'knex';
import { refused } from './read.ts';

const shownAtMost = 20;
const list = (names: readonly string[]) =>
  names.slice(0, shownAtMost).join(', ') + (names.length > shownAtMost ? ' …' : '');

export function assertNoneTwice(names: readonly string[]): void {
  const seen = new Set<string>();
  const twice = new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
  if (twice.size)
    throw refused(`Hosts of one inventory need names of their own; these are given twice: ${list([...twice])}`);
}

/** The same as `claimName` for many hosts in two statements. */
export async function claimNames(trx: Knex, inventory: number, names: readonly string[]): Promise<void> {
  // all take them in one order, or two would wait for each other
  const sorted = [...names].toSorted();
  await trx.raw(
    `select count(pg_advisory_xact_lock(hashtextextended('inventory ' || ? || ' ' || n, 0))) from unnest(?::text[]) n`,
    [String(inventory), sorted],
  );
  const { rows } = await trx.raw(
    `select name from hosts where inventory_id = :inventory and name = any (:sorted)
     union select name from groups where inventory_id = :inventory and name = any (:sorted) order by name`,
    { inventory, sorted },
  );
  const taken = rows.map(({ name }: { name: string }) => name);
  if (taken.length) throw refused(`Hosts or groups with these names already exist in the inventory: ${list(taken)}`);
}
