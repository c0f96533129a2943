import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { notRenewable } from '../../../accounts/expired-tokens.ts';
import { type Batch, type Cleanup, counted, inBatches } from './cleanup.ts';
import { createRefusals } from './guarded.ts';

interface Old {
  what: string;
  table: string;
  bindings?: (days: number) => Knex.Value[];
  condition: string;
  /** of its resource, whose guards are asked */
  type?: string;
}

/** A cleanup of rows of one table, whatever stands below them goes along. */
const rowsOf =
  ({ what, table, bindings: of = () => [], condition, type }: Old): Cleanup =>
  async ({ db, doors }, { days, dry, batch }, tools) => {
    const bindings = of(days);
    if (dry) {
      const { rows } = await db.raw(`select count(*)::integer as count from ${table} t where ${condition}`, bindings);
      return `${counted(rows[0].count, what)} would be removed.`;
    }
    const refusals = createRefusals(doors);
    let last = 0;
    const guarded = () =>
      db.transaction(async (trx): Promise<Batch> => {
        const { rows }: { rows: Row[] } = await trx.raw(
          `select t.* from ${table} t where t.id > ? and ${condition} order by t.id limit ? for update skip locked`,
          [last, ...bindings, batch],
        );
        last = rows.at(-1)?.id ?? last;
        const removed = await trx(table)
          .whereIn('id', await refusals.allowed(trx, type!, rows))
          .delete();
        return { found: rows.length, removed };
      });
    const plain = async (): Promise<Batch> => {
      const { rowCount } = await db.raw(
        `delete from ${table} where id in (select t.id from ${table} t where ${condition} order by t.id limit ?)`,
        [...bindings, batch],
      );
      return { found: rowCount ?? 0, removed: rowCount ?? 0 };
    };
    const isGuarded = type !== undefined && refusals.isGuarded(type);
    const removed = await inBatches(tools, what, isGuarded ? guarded : plain);
    return `${counted(removed, what)} removed.${refusals.told(what)}`;
  };

export const cleanupActivity = rowsOf({
  what: 'activity stream entry',
  table: 'activity_stream',
  bindings: (days) => [days],
  condition: `t.timestamp < now() - ? * interval '1 day'`,
});

export const cleanupSessions = rowsOf({ what: 'expired session', table: 'sessions', condition: 't.expires < now()' });

export const cleanupTokens = rowsOf({
  what: 'expired token',
  table: 'tokens',
  condition: `t.expires < now() and ${notRenewable}`,
  type: 'o_auth2_access_token',
});
