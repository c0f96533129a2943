import type { PluginApi } from './api.ts';

/** What is known of a plugin without running anything of it. */
export interface PluginManifest {
  /** kebab-case, unique; the plugin's Postgres schema, task names and permission names derive from it */
  id: string;
  /** the human name */
  title: string;
  /** semver */
  version: string;
  /** one sentence for operators who decide whether to switch it on */
  description?: string;
  /** semver range of SDK versions that it works with: `^1.0.0` */
  sdk: string;
  /** ids of plugins that must be on; they are registered and started before it */
  requires?: readonly string[];
  /**
   * It must not be switched on as optional: where it fails, the service does not start, rather than go on without what
   * the plugin refuses, hides or records. Default false.
   */
  mandatory?: boolean;
  /** folder of its knex migrations `0001_name.ts|js`: `new URL('./migrations/', import.meta.url)` */
  migrations?: URL;
}

/**
 * A plugin: its manifest and one synchronous, pure function that says what it contributes.
 * `register` opens nothing and awaits nothing: services (`api.db`, `api.log`, …) may be used only by what
 * runs later (handlers, taps, tasks, `onStart`). It may run more than once in a process, each time with an
 * `api` of its own (a start that began anew, a command that asks what there is): it must say the same each time.
 */
export interface Plugin extends PluginManifest {
  register(api: PluginApi): void;
}

const kebab = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const semver = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const longestId = 40;

/**
 * Declares a plugin; the default export of its package.
 * @throws Error naming the field of the manifest that is wrong and what it must be
 */
export function definePlugin(plugin: Plugin): Plugin {
  const wrong = problems(plugin);
  if (wrong.length) throw new Error(`plugin ${String(plugin?.id ?? '(without id)')}: ${wrong.join('; ')}`);
  return Object.freeze({ ...plugin });
}

function problems(plugin: Plugin): string[] {
  const found: string[] = [];
  if (typeof plugin !== 'object' || plugin === null)
    return ['definePlugin takes an object: { id, title, version, sdk, register }'];
  const { id, title, version, sdk, requires = [], mandatory = false, migrations, register } = plugin;
  if (typeof id !== 'string' || !kebab.test(id) || id.length > longestId)
    found.push(`id must be kebab-case, at most ${longestId} characters, like "drift-detection"`);
  if (id === 'core') found.push('id must be another than "core": tasks and traces of the service itself go by it');
  if (typeof title !== 'string' || !title.trim()) found.push('title must be a text: it is what people read');
  if (typeof version !== 'string' || !semver.test(version))
    found.push('version must be a semantic version like "1.0.0"');
  if (typeof sdk !== 'string' || !sdk.trim()) found.push('sdk must be a range of SDK versions like "^1.0.0"');
  if (!Array.isArray(requires) || !requires.every((item) => typeof item === 'string' && kebab.test(item)))
    found.push('requires must be a list of plugin ids');
  if (typeof mandatory !== 'boolean') found.push('mandatory must be true or false');
  if (migrations !== undefined && !(migrations instanceof URL))
    found.push("migrations must be a URL: new URL('./migrations/', import.meta.url)");
  if (typeof register !== 'function') found.push('register must be a function that takes the api');
  else if (register.constructor.name === 'AsyncFunction')
    found.push('register must not be async: whatever waits belongs into api.onStart');
  return found;
}
