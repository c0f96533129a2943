/** Plugins that are loaded, in this order; the environment variable TAPLINE_PLUGINS (comma separated) overrides the list. */
export const plugins: readonly string[] = [];
