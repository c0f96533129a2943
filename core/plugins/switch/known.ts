import { reasonOf } from '../../observe/plugin-error.ts';
import { importPlugin } from '../find/load.ts';
import { checkManifest, optionalProblem } from '../find/manifest.ts';
import type { Places } from '../find/resolve.ts';

/** What the name of a plugin stands for, told by its module. */
export interface KnownPlugin {
  name: string;
  /** undefined where its module cannot be imported */
  id?: string;
  requires: readonly string[];
  /** why it cannot be used */
  problem?: string;
  /** why it cannot be on as optional */
  optionalProblem?: string;
}

/** Imports them, which runs their code: not for a process that serves. */
export const knownPlugins = (names: readonly string[], places: Places): Promise<KnownPlugin[]> =>
  Promise.all(names.map((name) => known(name, places)));

async function known(name: string, places: Places): Promise<KnownPlugin> {
  let found: KnownPlugin = { name, requires: [] };
  try {
    const plugin = await importPlugin(name, places);
    const refusal = optionalProblem(plugin, name);
    found = { name, id: plugin.id, requires: plugin.requires ?? [] };
    if (refusal) found.optionalProblem = refusal.message;
    checkManifest(plugin, name);
    return found;
  } catch (error) {
    return { ...found, problem: reasonOf(error) };
  }
}
