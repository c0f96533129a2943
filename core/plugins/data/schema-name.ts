/** `drift-detection` → `plugin_drift_detection`: the Postgres schema that holds all of a plugin's data. */
export const schemaOf = (plugin: string) => `plugin_${plugin.replaceAll('-', '_')}`;

/** `things` → `plugin_drift.things` */
export const tableOf = (plugin: string, table: string) => `${schemaOf(plugin)}.${table}`;

/** In each plugin's schema: which of its migrations were applied. */
export const migrationTable = 'migrations_applied';
