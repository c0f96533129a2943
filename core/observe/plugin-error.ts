/** A fault of a plugin, or in how it was switched on: names the plugin, what it called and the remedy. */
export class PluginError extends Error {
  override name = 'PluginError';
  /** its id, or the name under which it was switched on where no id is known yet */
  readonly plugin: string;

  constructor(plugin: string, message: string, options?: ErrorOptions) {
    super(`plugin ${plugin}: ${message}`, options);
    this.plugin = plugin;
  }
}

/** A wrong call through the door: `call` as the author wrote it. */
export const callError = (plugin: string, call: string, problem: string, remedy: string) =>
  new PluginError(plugin, `${call} ${problem}: ${remedy}`);

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the plugin itself threw, told as its fault. */
export const asPluginError = (plugin: string, during: string, error: unknown): PluginError =>
  error instanceof PluginError
    ? error
    : new PluginError(plugin, `${during} failed: ${reasonOf(error)}`, { cause: error });

/** Work on what a plugin declared: whatever goes wrong in it is told as its fault; undefined: it is core's own. */
export function attributed<T>(plugin: string | undefined, during: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw plugin === undefined ? error : asPluginError(plugin, during, error);
  }
}
