import type { ExplainRule } from '@tapline/plugin-sdk';

/** What goes wrong with a source, by what the engine and our own program say; the first that fits. */
export const updateExplains: readonly ExplainRule[] = [
  [/^(?:The inventory of the source|The source gave|The host filter of the source) .{1,500}/m, ([said]) => said],
  [
    /unknown plugin '(\w{1,100})\.(\w{1,100})\.(\w{1,100})'/,
    ([, namespace, name, plugin]) =>
      `The collection ${namespace}.${name}, which has the inventory plugin ${plugin}, is not installed. Install it where the engine finds it, or name it in the project's collections/requirements.yml.`,
  ],
  [
    /Failed to parse inventory with '(?:script|yaml|ini|toml|advanced_host_list|auto)' plugin: (?!Plugin configuration YAML file)(.{1,500})/,
    ([, said]) => `The source could not be read: ${said}`,
  ],
  [
    /Unable to parse (\S{1,500}) as an inventory source/,
    ([, path]) => `The source ${path!.replace(/^.*\/work\//, '')} could not be read: it is not there, or no inventory.`,
  ],
];
