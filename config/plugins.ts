import type { PluginSwitch } from '../core/config/plugin-entries.ts';

/**
 * Plugins that are loaded, in this order: the id of a bundled one, the name of a package, or a path. One that says
 * `{ name, optional: true }` is left out when it fails; any other ends the start. `tapline plugins enable|disable` changes
 * the list for one installation, and the environment variable TAPLINE_PLUGINS (comma separated, `name?` = optional) replaces it.
 */
export const plugins: readonly PluginSwitch[] = [
  'recommendations',
  'policy',
  'scanning',
  'eda',
  'outbound-webhooks',
  'console',
];
