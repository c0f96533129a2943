import type { Knex, PluginApi } from '@tapline/plugin-sdk';

/** Evaluates events again, by their rules as they are now: a new log for each, which names the old one and shares its payload. */
export async function replay(api: PluginApi, trx: Knex, ids: readonly number[]): Promise<number[]> {
  const logs = api.table('event_logs');
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `insert into ${logs} (event_rule_id, event_rule_name, organization_id, source_type, source_ip, event_type, event_guid, payload_id, headers,
      replay_of_id, status, queued)
    select l.event_rule_id, r.name, r.organization_id, l.source_type, l.source_ip, l.event_type, l.event_guid, l.payload_id, l.headers, l.id, 'received', false
    from ${logs} l join ${api.table('event_rules')} r on r.id = l.event_rule_id join ${api.table('payloads')} p on p.id = l.payload_id
    where l.id = any(?) and not p.truncated order by l.id
    for key share of r, p
    returning id`,
    [[...ids]],
  );
  return rows.map(({ id }) => id);
}
