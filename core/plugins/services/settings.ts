import { assertKnownKeys, type Config } from '../../config/config.ts';
import type { SettingDefinition } from '../../settings/definition.ts';
import { settingDefinitions } from '../../settings/definitions.ts';
import { PluginError } from '../../observe/plugin-error.ts';
import type { Registries } from '../registries.ts';

/** The settings of plugins, as core's own are defined. @throws PluginError where a key is core's */
export function settingsOf(registries: Registries): Record<string, SettingDefinition> {
  return Object.fromEntries(
    registries.all('settings').map(({ plugin, item: { key, ...definition } }) => {
      if (Object.hasOwn(settingDefinitions, key))
        throw new PluginError(
          plugin,
          `api.settings.define("${key}") clashes: core has a setting ${key}: choose another key, best one that begins like the plugin's id`,
        );
      return [key, definition];
    }),
  );
}

/** @throws ConfigError: a TAPLINE_<KEY> for which there is neither a setting of core nor one of a plugin that is on or was left out */
export const judgeKeys = (config: Config, registries: Registries): void =>
  assertKnownKeys(config, [
    ...Object.keys(settingDefinitions),
    ...Object.keys(settingsOf(registries)),
    ...registries.idleKeys,
  ]);
