import { assertAgreement } from '../../nodes/assert-agreement.ts';
import { nodeSet } from '../../nodes/membership.ts';
import { migratePlugins } from '../../plugins/data/migrate.ts';
import { preparePlugins } from '../../plugins/prepare.ts';
import { judgeKeys } from '../../plugins/services/settings.ts';
import { createKeyRing } from '../../secrets/key-ring.ts';
import { type CommandContext, withDatabase } from './with-database.ts';

export async function migrateCommand(): Promise<void> {
  await withDatabase(async (context) => {
    const plugins = await updatePluginData(context);
    const applied = [...context.applied, ...plugins];
    console.log(applied.length ? `Applied: ${applied.join(', ')}` : 'The database is up to date.');
  });
}

/** Resolves to what was applied, as `<plugin>/<migration>`. */
async function updatePluginData({ config, db, log }: CommandContext): Promise<string[]> {
  const registries = await preparePlugins({ config });
  judgeKeys(config, registries);
  await assertAgreement(db, nodeSet({ config, registries, keyRing: createKeyRing({ config }) }));
  const plugins = registries.plugins.map(({ plugin, optional }) => ({ ...plugin, optional }));
  const { applied, leftOut } = await migratePlugins({ databaseUrl: config.databaseUrl, plugins, log });
  for (const { id, reason } of registries.leftOut) console.error(`Left out: ${id}: ${reason}`);
  for (const { id, error } of leftOut) console.error(`Left out: ${id}: ${error.message}`);
  return Object.entries(applied).flatMap(([plugin, names]) => names.map((name) => `${plugin}/${name}`));
}
