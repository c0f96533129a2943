import type { Knex } from 'knex';
import type { Cell } from './key-ring.ts';

const batch = 500;

interface SecretColumn {
  table: string;
  column: string;
  key: string;
  keyType: string;
}

/** Every text column of the plugins' schemas whose rows have a key of one column: their secrets are bound to it. */
async function columnsOfPlugins(db: Knex): Promise<SecretColumn[]> {
  const { rows } = await db.raw(
    `select n.nspname || '.' || c.relname as "table", a.attname as "column", k.attname as key, format_type(k.atttypid, null) as "keyType"
     from pg_namespace n
       join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p') and not c.relispartition
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype
       join pg_index i on i.indrelid = c.oid and i.indisprimary and i.indnkeyatts = 1
       join pg_attribute k on k.attrelid = c.oid and k.attnum = i.indkey[0]
     where n.nspname ~ '^plugin_' order by 1, 2`,
  );
  return rows;
}

/** Walks each column by key in batches, each in a transaction of its own. Plugins need not be on for it. */
export async function resealPlugins(
  db: Knex,
  reseal: (text: string, cell: Cell) => string,
  usesOldKey: (text: unknown) => boolean,
): Promise<number> {
  let count = 0;
  for (const column of await columnsOfPlugins(db)) count += await resealColumn(db, column, reseal, usesOldKey);
  return count;
}

interface SecretRow {
  key: string | number;
  value: string;
}

async function resealColumn(
  db: Knex,
  { table, column, key, keyType }: SecretColumn,
  reseal: (text: string, cell: Cell) => string,
  usesOldKey: (text: unknown) => boolean,
): Promise<number> {
  let count = 0;
  let after: SecretRow['key'] | undefined;
  for (;;) {
    const rows = await db.transaction(async (trx) => {
      const page = trx(table).whereLike(column, 'tap1:%').orderBy(key).limit(batch).forUpdate();
      if (after !== undefined) void page.where(key, '>', after);
      const found: SecretRow[] = await page.select({ key, value: column });
      const changed = found
        .filter(({ value }) => usesOldKey(value))
        .map(({ key: id, value }) => ({ key: id, value: reseal(value, { table, column, id }) }));
      await trx.raw(
        `update ?? t set ?? = n.value from jsonb_to_recordset(?::jsonb) as n (key ${keyType}, value text) where t.?? = n.key`,
        [table, column, JSON.stringify(changed), key],
      );
      count += changed.length;
      return found;
    });
    if (rows.length < batch) return count;
    after = rows.at(-1)!.key;
  }
}

/** Ids of the keys that the secrets of plugins still need. */
export async function keysOfPlugins(db: Knex): Promise<string[]> {
  const columns = await columnsOfPlugins(db);
  if (!columns.length) return [];
  const parts = columns.map(() => `select substr(??, 6, 12) as id from ?? where ?? like 'tap1:%'`).join(' union ');
  const { rows } = await db.raw(
    parts,
    columns.flatMap(({ table, column }) => [column, table, column]),
  );
  return rows.map(({ id }: { id: string }) => id);
}
