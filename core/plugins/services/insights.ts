import { type PluginLog, sameKind } from '@tapline/plugin-sdk';
import { reasonOf } from '../../observe/plugin-error.ts';
import type { Registries } from '../registries.ts';

/** Reads what another plugin provides. One that is off, fails or answers something of another kind counts as the fallback. */
export function createInsights(registries: Registries, log: PluginLog) {
  return async function read<T>(name: string, fallback: T): Promise<T> {
    const provider = registries.all('insights').find(({ item }) => item.name === name);
    if (!provider) return fallback;
    try {
      const value = await provider.item.read();
      if (sameKind(value, fallback)) return value;
      log.warn(
        { insight: name, provider: provider.plugin, kind: typeof value },
        'an insight is not of the kind asked for',
      );
    } catch (error) {
      log.warn({ insight: name, provider: provider.plugin, reason: reasonOf(error) }, 'an insight could not be read');
    }
    return fallback;
  };
}
