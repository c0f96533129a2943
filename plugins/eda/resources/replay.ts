import type { Knex, PluginApi } from '@tapline/plugin-sdk';

/**
 * Evaluates events again, by their rules as they are now: a new log for each, which names the old one and shares its payload.
 * Whoever does it at the same time waits, and finds what was made: an event that is being evaluated again is left out, with `once`
 * each that ever was.
 */
export async function replay(
  api: PluginApi,
  trx: Knex,
  ids: readonly number[],
  { once = false }: { once?: boolean } = {},
): Promise<number[]> {
  const logs = api.table('event_logs');
  // a statement of its own: what the next one sees begins when all of them are held
  await trx(logs)
    .whereIn('id', [...ids])
    .orderBy('id')
    .forNoKeyUpdate()
    .select('id');
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(
    `with made as (insert into ${logs} (event_rule_id, event_rule_name, organization_id, source_type, source_ip, event_type, event_guid, payload_id, headers,
      replay_of_id, status)
    select l.event_rule_id, r.name, r.organization_id, l.source_type, l.source_ip, l.event_type, l.event_guid, l.payload_id, l.headers, l.id, 'received'
    from ${logs} l join ${api.table('event_rules')} r on r.id = l.event_rule_id join ${api.table('payloads')} p on p.id = l.payload_id
    where l.id = any(?) and not p.truncated
      and not exists (select 1 from ${logs} again where again.replay_of_id = l.id and (? or again.finished is null))
    order by l.id
    for key share of r, p
    returning id)
    insert into ${api.table('inbox')} (event_log_id) select id from made returning event_log_id as id`,
    [[...ids], once],
  );
  return rows.map(({ id }) => id);
}
