import { type Knex, type PluginApi, safeText } from '@tapline/plugin-sdk';

type Tables = Pick<PluginApi, 'table'>;

/** Notes why facts of these hosts were not captured; of those without a reason that all went well. */
export async function noteProblems(
  { table }: Tables,
  db: Knex,
  hosts: readonly number[],
  problems: ReadonlyMap<number, string>,
): Promise<void> {
  await db.raw(
    `insert into ${table('watched_hosts')} as w (host_id, capture_error)
     select h.id, coalesce(?::jsonb ->> h.id::text, '') from core_hosts h where h.id = any (?) order by h.id
     on conflict (host_id) do update set capture_error = excluded.capture_error where w.capture_error <> excluded.capture_error`,
    [JSON.stringify(Object.fromEntries(problems)), [...hosts]],
  );
}

const most = 500;

/** What the database or the thread said; the driver puts the statement before it. */
export function reasonOf(err: unknown): string {
  const { message = '' } = err instanceof Error ? err : { message: String(err) };
  return safeText(message.split(' - ').at(-1)!, most);
}
