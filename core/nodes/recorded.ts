import type { Knex } from 'knex';
import { insertActivityEntries } from '../db/activity-entry.ts';
import { keysInUse } from '../secrets/rotate.ts';
import { changesSince, type NodeSet } from './agreement.ts';

const recorded = async (db: Knex, key: string) => (await db('service_state').where({ key }).first('value'))?.value;

/** What the nodes serve with; also for whoever changes the keys while no node runs. */
export async function recordState(db: Knex, state: Record<string, unknown>): Promise<void> {
  await db.raw(
    `insert into service_state (key, value) select key, value from jsonb_each(?::jsonb)
     on conflict (key) do update set value = excluded.value where service_state.value is distinct from excluded.value`,
    [JSON.stringify(state)],
  );
}

interface RecordDeps {
  log: { info(fields: object, text: string): void };
}

export async function recordSet(db: Knex, { node, plugins, active_key }: NodeSet, { log }: RecordDeps): Promise<void> {
  const changes = changesSince((await recorded(db, 'plugins')) ?? {}, plugins);
  if (changes) {
    log.info(changes, 'other plugins are on than at the last start');
    const told = { operation: 'update', action: 'plugins_changed', told: false, object: 'plugin', about: [] };
    await insertActivityEntries(db, [{ ...told, node, user: null, organization: null, changes: { ...changes } }]);
  }
  await recordState(db, { plugins, active_key });
}

/** @throws Error where secrets are stored that this node cannot read */
export async function refuseLostKey(db: Knex, { active_key, key_ids }: NodeSet): Promise<void> {
  const last = await recorded(db, 'active_key');
  if (last === undefined || last === active_key || key_ids.includes(last)) return;
  // every secret may have been encrypted anew since
  if (!(await keysInUse(db)).has(last)) return;
  throw new Error(
    `the secrets in the database were encrypted with the key ${last}, which is not in this node's key ring (${key_ids.join(', ')}). ` +
      `Put keys.json back into the data folder, or set TAPLINE_SECRET_KEY to the secret that was used. If the key is lost for good, ` +
      `"npm run tapline -- keys rotate" gives its secrets up: they must be entered again.`,
  );
}
