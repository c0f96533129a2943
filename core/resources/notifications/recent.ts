import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

const most = 5;

/** The newest of each template, for a page of them at once. */
export async function recentNotifications(
  db: Knex,
  rows: readonly Row[],
): Promise<Map<number, Record<string, unknown>>> {
  const { rows: found } = await db.raw(
    `select t.id, coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'status', n.status, 'created', n.created, 'error', n.error) order by n.id desc)
       filter (where n.id is not null), '[]') as recent
     from unnest(?::bigint[]) as t(id) left join lateral (
       select id, status, created, error from notifications where notification_template_id = t.id order by id desc limit ?
     ) n on true group by t.id`,
    [rows.map(({ id }) => id), most],
  );
  return new Map(
    found.map(({ id, recent }: { id: number; recent: unknown[] }) => [Number(id), { recent_notifications: recent }]),
  );
}
