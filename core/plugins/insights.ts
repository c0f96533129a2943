import type { PluginLog } from '@tapline/plugin-sdk';
import { reasonOf } from './error.ts';
import type { Registries } from './registries.ts';

/** Reads what another plugin provides. One that is off, fails or answers something of another kind counts as the fallback. */
export function createInsights(registries: Registries, log: PluginLog) {
  return async function read<T>(name: string, fallback: T): Promise<T> {
    const provider = registries.all('insights').find(({ item }) => item.name === name);
    if (!provider) return fallback;
    try {
      const value = await provider.item.read();
      if (sameKind(value, fallback)) return value as T;
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

const sameKind = (value: unknown, fallback: unknown) =>
  value !== undefined &&
  (fallback === null ||
    fallback === undefined ||
    (typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)));
