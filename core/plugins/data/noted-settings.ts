import type { Knex } from 'knex';
import type { Registries } from '../registries.ts';

/** Its value: key of a setting → the plugin that has it, or had it when it was on last. */
const state = 'plugin_settings';

/** Notes whose settings are whose: what was stored for a plugin is found when its package is gone. */
export async function noteSettingKeys(db: Knex, registries: Registries): Promise<void> {
  const owners = registries.all('settings').map(({ plugin, item }) => [item.key, plugin]);
  if (!owners.length) return;
  await db.raw(
    `insert into service_state (key, value) values (?, ?::jsonb)
     on conflict (key) do update set value = service_state.value || excluded.value
     where not service_state.value @> excluded.value`,
    [state, JSON.stringify(Object.fromEntries(owners))],
  );
}

/** Those that were noted. */
export async function notedSettingKeys(db: Knex, plugin: string): Promise<string[]> {
  const { rows } = await db.raw(
    'select o.key from service_state s, jsonb_each_text(s.value) o where s.key = ? and o.value = ? order by 1',
    [state, plugin],
  );
  return rows.map(({ key }: { key: string }) => key);
}

export async function forgetSettingKeys(db: Knex, keys: readonly string[]): Promise<void> {
  await db('service_state')
    .where('key', state)
    .update({ value: db.raw('value - ?::text[]', [[...keys]]) });
}
