import { ApiError, type Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { plugins as configured } from '../../../config/plugins.ts';
import type { Config } from '../../config/config.ts';
import { asEntry, enabledEntries, layerPath, readLayer, writeLayer } from '../../config/plugin-entries.ts';
import { insertActivityEntries } from '../../db/activity-entry.ts';
import { installedPlugins } from '../find/installed.ts';
import type { KnownPlugin } from './known.ts';
import { planDisable, planEnable, SwitchError } from './plan.ts';

export type SwitchConfig = Pick<Config, 'root' | 'dataDir' | 'plugins' | 'pluginsGiven' | 'nodeName'>;

export interface PluginSwitchRow {
  name: string;
  kind: 'bundled' | 'package' | 'path';
  version: string;
  description: string;
  on: boolean;
  enabled: boolean;
  optional: boolean;
  source: '' | 'TAPLINE_PLUGINS' | 'plugins.json' | 'config/plugins.ts';
  restart: boolean;
  node: string;
}

/** Every plugin that there is on this node: whether it is on, and will be at the next start. */
export function pluginSwitches(config: SwitchConfig): PluginSwitchRow[] {
  const { dataDir, pluginsGiven, nodeName } = config;
  const layer = readLayer(dataDir);
  const next = pluginsGiven ? config.plugins : enabledEntries({ configured, layer });
  const installed = installedPlugins(config);
  const named = [...installed, ...config.plugins, ...next].map(({ name }) => name);
  return [...new Set(named)].toSorted().map((name) => {
    const { kind = 'path', version = '', description = '' } = installed.find((one) => one.name === name) ?? {};
    const [now, then] = [config.plugins, next].map((entries) => entries.find((entry) => entry.name === name));
    return {
      name,
      kind,
      version,
      description,
      on: now !== undefined,
      enabled: then !== undefined,
      optional: then?.optional ?? false,
      source: then ? sourceOf(name) : '',
      restart: now?.optional !== then?.optional,
      node: nodeName,
    };
  });

  function sourceOf(name: string): PluginSwitchRow['source'] {
    if (pluginsGiven) return 'TAPLINE_PLUGINS';
    return layer.enable.some((entry) => asEntry(entry).name === name) ? 'plugins.json' : 'config/plugins.ts';
  }
}

export interface SwitchWish {
  name: string;
  enabled: boolean;
  optional?: boolean;
}

export interface SwitchDeps {
  db: Knex;
  config: SwitchConfig;
  /** what names stand for, told without running code of plugins here */
  lookAtPlugins: (names: readonly string[]) => Promise<KnownPlugin[]>;
}

/** For the next start of this node. @throws ApiError */
export async function switchPlugin(
  { db, config, lookAtPlugins }: SwitchDeps,
  actor: Actor,
  { name, enabled, optional = false }: SwitchWish,
): Promise<void> {
  if (config.pluginsGiven)
    throw new ApiError(409, {
      detail: `TAPLINE_PLUGINS is set in the environment of the service and replaces ${layerPath(config.dataDir)}: change it there, or unset it.`,
    });
  const row = pluginSwitches(config).find((one) => one.name === name);
  // paths are for whoever has a shell there
  if (!row) throw new ApiError(400, { name: [`No plugin ${name} is installed.`] });
  if (row.enabled === enabled && (!enabled || row.optional === optional)) return;
  const layer = readLayer(config.dataDir);
  const names = [...new Set([name, ...enabledEntries({ configured, layer }).map((entry) => entry.name)])];
  const wish = { name, optional, known: await lookAtPlugins(names), configured, layer };
  const planned = asked(() => (enabled ? planEnable(wish) : planDisable(wish)));
  const changes = { name, enabled, ...(enabled && { optional }) };
  const told = { operation: 'update', action: 'plugin_switched', told: false, object: 'plugin', about: [] };
  await db.transaction(async (trx) => {
    const [node, user] = [config.nodeName, actor.id];
    await insertActivityEntries(trx, [{ ...told, node, user, organization: null, changes }]);
    // last: what was not written down must not hold
    writeLayer(config.dataDir, planned);
  });
}

function asked<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof SwitchError)) throw error;
    throw new ApiError(400, { [error.field]: [error.message] });
  }
}
