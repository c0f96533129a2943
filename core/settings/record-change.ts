import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { insertActivityEntries } from '../db/activity-entry.ts';
import type { Settings } from './settings.ts';

interface Deps {
  settings: Settings;
  actor: Actor | null;
  /** name of this node */
  node: string;
}

/** Writes who changed what into the activity stream and the audit log: an entry for each setting. */
export async function recordChange(
  trx: Knex,
  { settings, actor, node }: Deps,
  changes: ReadonlyMap<string, unknown>,
): Promise<void> {
  const told = settings.get('ACTIVITY_STREAM_ENABLED');
  const entries = [...changes].map(([key, value]) => {
    const { definition, value: before, fallback } = settings.state(key)!;
    const pair = definition.secret ? ['hidden', 'hidden'] : [before, value === undefined ? fallback : value];
    return {
      operation: 'update',
      told,
      object: 'setting',
      node,
      user: actor?.id ?? null,
      organization: null,
      changes: { key, value: pair },
      // settings have no numbers
      about: [{ type: 'setting', object_id: 0, summary: { category: definition.category, name: key } }],
    };
  });
  await insertActivityEntries(trx, entries);
}
