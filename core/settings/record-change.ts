import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from './settings.ts';

interface Deps {
  settings: Settings;
  actor: Actor | null;
  /** name of this node */
  node: string;
}

/** Writes who changed what into the activity stream: an entry for each setting, all by one statement. */
export async function recordChange(
  trx: Knex,
  { settings, actor, node }: Deps,
  changes: ReadonlyMap<string, unknown>,
): Promise<void> {
  if (!settings.get('ACTIVITY_STREAM_ENABLED')) return;
  const entries = [...changes].map(([key, value]) => {
    const { definition, value: before, fallback } = settings.state(key)!;
    const pair = definition.secret ? ['hidden', 'hidden'] : [before, value === undefined ? fallback : value];
    return { changes: { key, value: pair }, summary: { category: definition.category, name: key } };
  });
  await trx.raw(
    `with given as (select * from jsonb_to_recordset(?::jsonb) as g (changes jsonb, summary jsonb)),
     entry as (
       insert into activity_stream (operation, actor_id, actor_names, object1, action_node, changes)
       select 'update', u.id, json_build_object('username', u.username, 'first_name', u.first_name, 'last_name', u.last_name),
         'setting', ?, given.changes
       from given left join users u on u.id = ?
       returning id, changes
     )
     -- settings have no numbers
     insert into activity_objects (activity_id, type, object_id, summary)
     select entry.id, 'setting', 0, given.summary from entry join given on given.changes ->> 'key' = entry.changes ->> 'key'`,
    [JSON.stringify(entries), node, actor?.id ?? null],
  );
}
