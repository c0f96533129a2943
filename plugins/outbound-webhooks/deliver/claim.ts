import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { Delivery, Webhook } from '../webhook.ts';

/** Longer than a request can take: whoever held it has died. */
const leaseSeconds = 40;

/** Of a delivery `d`: neither done with nor under way. */
export const open = `d.finished is null and (d.leased_until is null or d.leased_until <= clock_timestamp())`;

/** What a look finds without a lock or a write: whether something is due, and whether webhooks that are switched off have some left. */
export async function whatWaits({ db, table }: PluginApi): Promise<{ due: boolean; over: boolean }> {
  const some = (webhooks: string, deliveries: string) => `exists (
    select 1 from ${table('outbound_webhooks')} w where ${webhooks} and exists (
      select 1 from ${table('outbound_webhook_deliveries')} d where d.outbound_webhook_id = w.id and ${deliveries}))`;
  const { rows } = await db.raw<{ rows: [{ due: boolean; over: boolean }] }>(
    `select ${some('w.enabled', `d.next_attempt <= clock_timestamp() and ${open}`)} as due, ${some('not w.enabled', open)} as over`,
  );
  return rows[0];
}

export type Claimed = Delivery & { webhook: Webhook };

/** What a node has room for: in all, and of that for webhooks whose latest deliveries failed. */
export interface Places {
  all: number;
  failing: number;
}

/**
 * Takes deliveries that are due: of each webhook no more than its share, so that one that hangs keeps nobody else waiting, and
 * none that another node is at. What a dead node held is due again when its lease is over. The request does not wait until the disk has
 * the claim: one that a crash of the database takes back is a message that is sent again, with the same `webhook-id`.
 */
export async function claim({ db, table, settings }: PluginApi, places: Places): Promise<Claimed[]> {
  const most = settings.get('OUTBOUND_WEBHOOK_PARALLEL', 4);
  const rows = await db.transaction(async (trx) => {
    // nodes count what is under way one after the other: in one statement each would count before the other's claim is there
    await trx.raw(
      `select pg_advisory_xact_lock(hashtext('claim of outbound webhooks')), set_config('synchronous_commit', 'off', true)`,
    );
    return take(trx, table, { most, ...places });
  });
  if (!rows.length) return [];
  const webhooks: Webhook[] = await db(table('outbound_webhooks')).whereIn(
    'id',
    rows.map((row) => row.outbound_webhook_id),
  );
  const byId = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
  const claimed = rows.map((row) => ({ ...row, webhook: byId.get(row.outbound_webhook_id) }));
  await giveBack(
    db,
    table,
    claimed.filter(({ webhook }) => webhook?.enabled === false),
  );
  return claimed.filter((one): one is Claimed => one.webhook?.enabled === true);
}

/** Of webhooks that were switched off since: they are not tried, and end at once as others of them do. */
async function giveBack(db: Knex, table: PluginApi['table'], untried: readonly Delivery[]): Promise<void> {
  if (!untried.length) return;
  const takes = untried.map(({ id, attempt }) => [id, attempt]);
  await db(table('outbound_webhook_deliveries'))
    .whereIn(['id', 'attempt'], takes)
    .update({ leased_until: null, attempt: db.raw('attempt - 1') });
}

/** The first of each webhook come before the second of any. */
async function take(
  trx: Knex,
  table: PluginApi['table'],
  { most, all, failing }: Places & { most: number },
): Promise<Delivery[]> {
  const deliveries = table('outbound_webhook_deliveries');
  // which of many are taken is asked without a lock, for that would be a write to each of them
  const { rows } = await trx.raw<{ rows: Delivery[] }>(
    `update ${deliveries} set attempt = attempt + 1, leased_until = clock_timestamp() + interval '${leaseSeconds} seconds'
    where id = any (array(
      select d.id from ${deliveries} d
      where d.id = any (array(
        select id from (
          select due.id, due.place, due.next_attempt, w.failing_since is null as well,
            row_number() over (partition by w.failing_since is null order by due.place, due.next_attempt, due.id) as of_kind
          from ${table('outbound_webhooks')} w
          cross join lateral (
            select greatest(0, ? - count(*)) as free from ${deliveries} d
            where d.outbound_webhook_id = w.id and d.finished is null and d.leased_until > clock_timestamp()
          ) room
          cross join lateral (
            select id, next_attempt, row_number() over (order by next_attempt, id) as place from (
              select d.id, d.next_attempt from ${deliveries} d
              where d.outbound_webhook_id = w.id and d.next_attempt <= clock_timestamp() and ${open}
              order by d.next_attempt, d.id limit room.free
            ) own
          ) due
          where w.enabled
        ) found
        where well or of_kind <= ?
        order by place, next_attempt, id limit ?
      )) and ${open}
      for update skip locked
    ))
    returning id, outbound_webhook_id, message_id, event, body, attempt`,
    [most, failing, all],
  );
  return rows;
}
