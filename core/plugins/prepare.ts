import { PluginError } from './error.ts';
import { type LoadOptions, loadPlugins } from './load.ts';
import { newRegistered, Registries } from './registries.ts';

/**
 * Loads what is switched on, lets each plugin say what it contributes, and freezes it. An optional plugin that fails
 * is left out as if it were off: all of it is done anew without it, so that nothing of it stays behind.
 * @throws PluginError
 */
export async function preparePlugins(options: LoadOptions): Promise<Registries> {
  const { plugins, leftOut } = await loadPlugins(options);
  const registries = new Registries(leftOut, options.idleKeys);
  // a service without plugins need not load the door
  const createPluginApi = plugins.length ? (await import('./api.ts')).createPluginApi : undefined;
  for (const { plugin, optional } of plugins) {
    const one = newRegistered(plugin, optional);
    try {
      registries.register({ ...one, api: createPluginApi!(plugin, one.contributions, registries) });
    } catch (error) {
      if (!optional || !(error instanceof PluginError)) throw error;
      const except = new Map([...(options.except ?? []), [plugin.id, error.message]]);
      return preparePlugins({ ...options, except, idleKeys: registries.settingKeys() });
    }
  }
  registries.freeze();
  return registries;
}

/** A service without any plugin. */
export function noPlugins(): Registries {
  const registries = new Registries();
  registries.freeze();
  return registries;
}
