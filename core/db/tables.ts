import type { Knex } from 'knex';

/** Data type per column, as Postgres names it (`bigint`, `text`, `jsonb`, `timestamp with time zone`). */
export type Table = ReadonlyMap<string, string>;
export type Tables = ReadonlyMap<string, Table>;

/** The columns of every table of the search path and of the plugins' schemas (`schema.table`). */
export async function readTables(db: Knex): Promise<Tables> {
  const { rows } = await db.raw(`
    select case when n.nspname = any (current_schemas(false)) then c.relname else n.nspname || '.' || c.relname end as "table",
           a.attname as "column", format_type(a.atttypid, null) as type
    from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p', 'v') and not c.relispartition
      join pg_namespace n on n.oid = c.relnamespace and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    where a.attnum > 0 and not a.attisdropped
    order by c.oid, a.attnum`);
  const tables = new Map<string, Map<string, string>>();
  for (const row of rows) {
    const table = tables.get(row.table) ?? new Map<string, string>();
    tables.set(row.table, table.set(row.column, row.type));
  }
  return tables;
}
