import type { Knex } from 'knex';
import type { Doors } from '../../rbac/doors.ts';

const staged = `s.name, s.variables, :inventory::bigint as inventory_id`;
const ofHosts = `coalesce(s.enabled, o.enabled, true) as enabled, coalesce(nullif(s.instance_id, ''), o.instance_id, '') as instance_id`;

const sql = (table: 'hosts' | 'groups', how: 'added' | 'changed' | 'removed') =>
  how === 'removed'
    ? `select o.* from changed_${table} c join ${table} o on o.id = c.id where c.how = 'removed' order by o.id`
    : `select o.id, ${staged}, coalesce(o.description, 'imported') as description${table === 'hosts' ? `, ${ofHosts}` : ''}
       from changed_${table} c join staged_${table} s on s.name = c.name left join ${table} o on o.id = c.id
       where c.how = '${how}' order by o.id, s.name`;

/** Plugins' guards on hosts and groups are asked as they are for writes of the API; rows are read only where there are any. */
export async function askGuards(
  trx: Knex.Transaction,
  doors: Pick<Doors, 'check' | 'isGuarded'>,
  inventory: number,
): Promise<void> {
  for (const [type, table] of [
    ['host', 'hosts'],
    ['group', 'groups'],
  ] as const)
    for (const [operation, how] of [
      ['create', 'added'],
      ['update', 'changed'],
      ['delete', 'removed'],
    ] as const) {
      if (!doors.isGuarded(type, operation)) continue;
      const { rows } = await trx.raw(sql(table, how), { inventory });
      if (!rows.length) continue;
      const before =
        how === 'changed'
          ? (
              await trx.raw(
                `select o.* from changed_${table} c join ${table} o on o.id = c.id where c.how = 'changed' order by o.id, c.name`,
              )
            ).rows
          : undefined;
      await doors.check(type, operation, { trx, actor: null, rows, ...(before && { before }) });
    }
}
