import type { Knex } from 'knex';
import type { NodeSet } from './agreement.ts';

/** How often a node says that it lives. */
export const HEARTBEAT_MS = 5000;
/** A node that has not been heard of for so long is dead. */
export const DEAD_AFTER_S = 20;

const limit = `now() - interval '${DEAD_AFTER_S} seconds'`;

/** True while the node lives that was last heard of then; neither this nor the next for one that never was. */
export const livesSql = (seen: string): string => `(${seen} > ${limit})`;
export const isDeadSql = (seen: string): string => `(${seen} <= ${limit})`;

const fellSilent = (alias: string) =>
  `(${isDeadSql(`${alias}.last_seen`)} and ${alias}.node_state in ('installed', 'ready'))`;

/** As everybody sees it: a node that died cannot write so itself. */
export const stateSql = (alias: string): string =>
  `(case when ${fellSilent(alias)} then 'unavailable' else ${alias}.node_state end)`;

export const errorsSql = (alias: string): string =>
  `(case when ${fellSilent(alias)} then concat_ws(E'\\n', nullif(${alias}.errors, ''), 'The node is not heard of any more.') else ${alias}.errors end)`;

/** Nobody can use what a node that is away could carry. */
export const capacitySql = (alias: string): string =>
  `(case when ${stateSql(alias)} = 'ready' then ${alias}.capacity else 0 end)`;

export interface LivingNode extends NodeSet {
  id: number;
  /** of the process that serves as this node */
  boot_id: string;
  pid: number | null;
  port: number | null;
  /** since it was heard of */
  seconds: number;
}

/** The nodes that serve now. One that was stopped does not, however lately it was heard of. */
export async function livingNodes(db: Knex): Promise<LivingNode[]> {
  return db('instances')
    .whereNotNull('boot_id')
    .whereNotNull('plugins')
    .whereRaw(livesSql('last_seen'))
    .orderBy('hostname')
    .select(
      'id',
      'boot_id',
      'pid',
      'port',
      'plugins',
      'active_key',
      'key_ids',
      { node: 'hostname' },
      db.raw('extract(epoch from now() - last_seen)::int as seconds'),
    );
}
