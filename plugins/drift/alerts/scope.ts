import type { Knex, PluginApi } from '@tapline/plugin-sdk';

/** Bindings of the condition that drift is of the inventory of a rule. */
export interface Scope {
  held: string;
}

/**
 * SQL of that for the rule `r` and the detection `d`. Drift is of the inventory that its host is made in; what else a rule can be
 * about, smart, constructed and federated inventories, shows hosts of others.
 */
export const inScope = `(r.inventory_id is null or d.inventory_id = r.inventory_id or (r.inventory_id, d.host_id) in (
  select m.inventory_id, m.host_id from json_to_recordset(:held::json) as m(inventory_id bigint, host_id bigint)))`;

/** Which of the hosts such inventories show that enabled rules are about, as it is now. */
export async function scopeOf(api: PluginApi, db: Knex, hosts: readonly number[]): Promise<Scope> {
  const { rows } = await db.raw(
    `select distinct i.id from ${api.table('alert_rules')} r join core_inventories i on i.id = r.inventory_id
     where r.enabled and i.kind <> ''`,
  );
  const inventories = rows.map(({ id }: { id: number }) => id);
  const held = inventories.length ? await api.inventories.holding(inventories, hosts, db) : [];
  return { held: JSON.stringify(held) };
}
