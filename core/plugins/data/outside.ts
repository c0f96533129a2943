import type { Knex } from 'knex';

/**
 * Everything that stands outside one schema, one line per object: its kind, its name and what it is made of. Rows are
 * not part of it, nor what a foreign key leaves on the table that it points at.
 */
const objectsSql = `
  with spaces as (
    select oid, nspname from pg_namespace
    where nspname <> ? and nspname !~ '^pg_' and nspname <> 'information_schema'
  ),
  relations as (
    select c.oid, c.relkind, n.nspname || '.' || c.relname as name from pg_class c join spaces n on n.oid = c.relnamespace
    where c.relkind <> 't' and not c.relispartition
  )
  select 'schema ' || nspname as object, '' as made_of from spaces
  union all
  select case relkind when 'i' then 'index ' when 'I' then 'index ' when 'v' then 'view ' when 'S' then 'sequence ' else 'table ' end || name,
    case relkind when 'v' then pg_get_viewdef(oid) when 'i' then pg_get_indexdef(oid) when 'I' then pg_get_indexdef(oid) else '' end
    from relations
  union all
  select 'column ' || r.name || '.' || a.attname,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    where r.relkind in ('r', 'p')
  union all
  select 'constraint ' || c.conname || ' on ' || r.name, pg_get_constraintdef(c.oid)
    from pg_constraint c join relations r on r.oid = c.conrelid
  union all
  select 'trigger ' || t.tgname || ' on ' || r.name, pg_get_triggerdef(t.oid)
    from pg_trigger t join relations r on r.oid = t.tgrelid where not t.tgisinternal
  union all
  select 'function ' || n.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')', md5(p.prosrc)
    from pg_proc p join spaces n on n.oid = p.pronamespace
  union all
  select 'type ' || n.nspname || '.' || t.typname, (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
    from pg_type t join spaces n on n.oid = t.typnamespace where t.typtype in ('e', 'd')`;

export type Objects = ReadonlyMap<string, string>;

export async function objectsOutside(trx: Knex, schema: string): Promise<Objects> {
  const { rows }: { rows: { object: string; made_of: string | null }[] } = await trx.raw(objectsSql, [schema]);
  return new Map(rows.map(({ object, made_of: madeOf }) => [object, madeOf ?? '']));
}

/** `adds table public.things`, `changes column public.hosts.name`, `drops …` */
export function differences(before: Objects, after: Objects): string[] {
  const gone = [...before.keys()].filter((object) => !after.has(object)).map((object) => `drops ${object}`);
  const other = [...after]
    .filter(([object, madeOf]) => before.get(object) !== madeOf)
    .map(([object]) => `${before.has(object) ? 'changes' : 'adds'} ${object}`);
  return [...gone, ...other];
}
