import { PluginError } from '../observe/plugin-error.ts';
import { type LoadOptions, loadPlugins } from './find/load.ts';
import { assertOffersFit } from './points.ts';
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
  const door = plugins.length ? await loadDoor() : undefined;
  try {
    for (const { plugin, optional } of plugins) {
      const one = newRegistered(plugin, optional);
      registries.register({ ...one, api: door!.createPluginApi(plugin, one.contributions, registries) });
    }
    assertOffersFit(registries);
    registries.freeze();
    for (const one of registries.plugins) await door!.assertSound(one);
    return registries;
  } catch (error) {
    const faulty = error instanceof PluginError && plugins.find(({ plugin }) => plugin.id === error.plugin);
    if (!faulty || !faulty.optional) throw error;
    const except = new Map([...(options.except ?? []), [faulty.plugin.id, error.message]]);
    return preparePlugins({ ...options, except, idleKeys: registries.settingKeys() });
  }
}

async function loadDoor() {
  const [{ createPluginApi }, { assertSound }] = await Promise.all([
    import('./door/api.ts'),
    import('./own-faults.ts'),
  ]);
  return { createPluginApi, assertSound };
}

/** A service without any plugin. */
export function noPlugins(): Registries {
  const registries = new Registries();
  registries.freeze();
  return registries;
}
