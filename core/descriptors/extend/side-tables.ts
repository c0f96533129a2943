import type { Knex } from 'knex';
import type { Log } from '../../observe/log.ts';
import { asPluginError } from '../../observe/plugin-error.ts';
import { quote } from '../../db/quote.ts';
import { extensionFault } from './declared.ts';
import { type Extended, extensionTargets, type Targeted } from './targets.ts';

interface Constraint {
  /** `p` the primary key, `f` a foreign key */
  kind: string;
  on_delete: string;
  target: string;
}

const keyOf = ({ declared: { type, extension } }: Targeted) => extension.key ?? `${type}_id`;

/** By side table, the constraints on the column with the extended row's id alone. */
async function constraintsOf(db: Knex, sides: readonly Targeted[]): Promise<(side: Targeted) => Constraint[]> {
  const { rows } = await db.raw(
    `select n.nspname || '.' || r.relname as "table", c.contype as kind, c.confdeltype as on_delete,
       case fn.nspname when 'public' then f.relname else fn.nspname || '.' || f.relname end as target,
       (select array_agg(a.attname::text) from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey)) as columns
     from pg_constraint c
       join pg_class r on r.oid = c.conrelid
       join pg_namespace n on n.oid = r.relnamespace
       left join pg_class f on f.oid = c.confrelid
       left join pg_namespace fn on fn.oid = f.relnamespace
     where n.nspname || '.' || r.relname = any (?)`,
    [sides.map(({ declared }) => declared.extension.table!)],
  );
  return (side) =>
    rows.filter(
      ({ table, columns }: { table: string; columns: string[] | null }) =>
        table === side.declared.extension.table && columns?.length === 1 && columns[0] === keyOf(side),
    );
}

const isSingle = (constraints: readonly Constraint[]) => constraints.some(({ kind }) => kind === 'p');
const follows = (constraints: readonly Constraint[], { target }: Targeted) =>
  constraints.some((one) => one.kind === 'f' && one.on_delete === 'c' && one.target === target.table);

/** @throws PluginError where a side table would leave rows behind, or could hold two for one row of the resource */
export async function assertSideTables(db: Knex, sides: readonly Targeted[]): Promise<void> {
  if (!sides.length) return;
  const constraints = await constraintsOf(db, sides);
  for (const side of sides) {
    const { declared, target, owner } = side;
    const own = constraints(side);
    const single = isSingle(own);
    // what ties it to another plugin's table is made by `tieSideTables`
    const tied = owner !== undefined || follows(own, side);
    if (single && tied) continue;
    const wanted = `t.bigInteger('${keyOf(side)}').primary()`;
    throw extensionFault(
      declared,
      `needs ${declared.extension.table}.${keyOf(side)} to be ${single ? '' : 'its primary key'}${single || tied ? '' : ' and '}${tied ? '' : `a foreign key to ${target.table} that deletes along`}`,
      `in the migration: ${owner === undefined ? `${wanted}.references('${target.table}.id').onDelete('cascade')` : wanted}`,
    );
  }
}

/**
 * Ties side tables to the tables of other plugins, so that their rows go with those. Migrations need not do it: the other
 * table may be made later, or dropped and made anew; rows of such a table's former self are none of the new one's.
 */
export async function tieSideTables({
  db,
  log,
  ...extended
}: Extended & { db: Knex; log: Pick<Log, 'info'> }): Promise<void> {
  const sides = extensionTargets(extended).filter(
    ({ declared, owner, target }) => owner !== undefined && declared.extension.table && !target.identity,
  );
  if (!sides.length) return;
  await db.transaction(async (trx) => {
    // nodes that start at once
    await trx.raw(`select pg_advisory_xact_lock(hashtext('tapline side tables'))`);
    const constraints = await constraintsOf(trx, sides);
    for (const side of sides) {
      const own = constraints(side);
      if (!isSingle(own) || follows(own, side)) continue;
      const { plugin, extension } = side.declared;
      const stale = await tie(trx, side).catch((error: unknown) => {
        throw asPluginError(plugin, `tying ${extension.table} to ${side.target.table}`, error);
      });
      log.info(
        { plugin, table: extension.table, stale },
        `${extension.table} goes with ${side.target.table} from now on`,
      );
    }
  });
}

/** Resolves to the number of rows that belonged to nothing. */
async function tie(trx: Knex, side: Targeted): Promise<number> {
  const table = side.declared.extension.table!;
  const stale = await trx(table).delete();
  await trx.raw(
    `alter table ${quote(table)} add foreign key (${quote(keyOf(side))}) references ${quote(side.target.table)} (id) on delete cascade`,
  );
  return stale;
}
