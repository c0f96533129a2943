import type { Knex } from 'knex';
import type { Staged } from './stage.ts';

/** How the parts of an inventory differ from what its source gave. */
export interface Differences {
  /** in the answer of the source */
  found: number;
  added: number;
  changed: number;
  removed: number;
}

export interface ComparedSource {
  id: number;
  inventory_id: number;
  overwrite: boolean;
}

/** What another source still brings is not removed with this one: it is only not of this one any more. */
const elsewhere = `exists (select from templates t
  where t.id = any (o.source_ids) and t.id <> :source and t.id <> all (o.lapsed_source_ids))`;
const unlike = `not :source = any (o.source_ids) or :source = any (o.lapsed_source_ids)`;

const hostDiffers = `o.variables <> s.variables or s.enabled <> o.enabled
  or (s.instance_id <> '' and s.instance_id <> o.instance_id) or ${unlike}`;
const groupDiffers = `o.variables <> s.variables or ${unlike}`;

const compareSql = (table: 'hosts' | 'groups', differs: string) => `
  insert into changed_${table} (id, name, how)
  select o.id, s.name, case when o.id is null then 'added' else 'changed' end
    from staged_${table} s left join ${table} o on o.inventory_id = :inventory and o.name = s.name
    where o.id is null or ${differs}
  union all
  select o.id, o.name, case when not :overwrite then 'lapsed' when ${elsewhere} then 'left' else 'removed' end
    from ${table} o
    where o.inventory_id = :inventory and :source = any (o.source_ids)
      and (:overwrite or not :source = any (o.lapsed_source_ids))
      and not exists (select from staged_${table} s where s.name = o.name)`;

const countSql = (table: 'hosts' | 'groups') => `
  select count(*) filter (where how = 'added')::int as added,
    count(*) filter (where how = 'changed')::int as changed,
    count(*) filter (where how = 'removed')::int as removed
  from changed_${table}`;

/** Fills `changed_hosts` and `changed_groups` from what is staged; writes nothing else. */
export async function compareStaged(
  trx: Knex.Transaction,
  source: ComparedSource,
  staged: Staged,
): Promise<{ hosts: Differences; groups: Differences }> {
  const bindings = { source: source.id, inventory: source.inventory_id, overwrite: source.overwrite };
  const counted = async (table: 'hosts' | 'groups', differs: string): Promise<Differences> => {
    await trx.raw(compareSql(table, differs), bindings);
    await trx.raw(`analyze changed_${table}`);
    return { found: staged[table], ...(await trx.raw(countSql(table))).rows[0] };
  };
  const hosts = await counted('hosts', hostDiffers);
  return { hosts, groups: await counted('groups', groupDiffers) };
}

export interface NamedDifferences {
  added: string[];
  changed: string[];
  removed: string[];
}

/** The first of them by name, for people. */
export async function namedDifferences(
  trx: Knex.Transaction,
  table: 'hosts' | 'groups',
  most: number,
): Promise<NamedDifferences> {
  const { rows } = await trx.raw(
    `select ${['added', 'changed', 'removed']
      .map(
        (how) => `array(select name from changed_${table} where how = '${how}' order by name limit ${most}) as ${how}`,
      )
      .join(', ')}`,
  );
  return rows[0];
}
