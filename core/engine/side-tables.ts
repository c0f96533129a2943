import type { Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { callError } from '../plugins/error.ts';
import type { DeclaredExtension } from './extend.ts';

/** @throws PluginError where a side table would leave rows behind, or could hold two for one row of core */
export async function assertSideTables(
  db: Knex,
  sides: readonly { declared: DeclaredExtension; target: Resource }[],
): Promise<void> {
  if (!sides.length) return;
  const { rows } = await db.raw(
    `select n.nspname || '.' || r.relname as "table", c.contype as kind, c.confdeltype as on_delete, f.relname as target,
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)) as columns
     from pg_constraint c
       join pg_class r on r.oid = c.conrelid
       join pg_namespace n on n.oid = r.relnamespace
       left join pg_class f on f.oid = c.confrelid
     where n.nspname || '.' || r.relname = any (?)`,
    [sides.map(({ declared }) => declared.extension.table!)],
  );
  for (const { declared, target } of sides) {
    const { table, key = `${declared.type}_id` } = declared.extension;
    const own = rows.filter((row: any) => row.table === table && row.columns?.length === 1 && row.columns[0] === key);
    const single = own.some(({ kind }: any) => kind === 'p');
    const follows = own.some(
      ({ kind, on_delete: onDelete, target: to }: any) => kind === 'f' && onDelete === 'c' && to === target.table,
    );
    if (single && follows) continue;
    const wanted = `t.bigInteger('${key}').primary().references('${target.table}.id').onDelete('cascade')`;
    throw callError(
      declared.plugin,
      `api.extend("${declared.type}")`,
      `needs ${table}.${key} to be ${single ? '' : 'its primary key'}${single || follows ? '' : ' and '}${follows ? '' : `a foreign key to ${target.table} that deletes along`}`,
      `in the migration: ${wanted}`,
    );
  }
}
