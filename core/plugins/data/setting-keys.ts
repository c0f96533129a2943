import type { Plugin } from '@tapline/plugin-sdk';
import { createPluginApi } from '../door/api.ts';
import { newRegistered, Registries } from '../registries.ts';

/** The keys of the settings that a plugin defines, learnt by letting it register into the void. */
export function settingKeysOf(plugin: Plugin): string[] {
  const registries = new Registries();
  const one = newRegistered(plugin, false);
  registries.register({ ...one, api: createPluginApi(plugin, one.contributions, registries) });
  return registries.all('settings').map(({ item }) => item.key);
}
