import { inTime } from '@tapline/plugin-sdk';
import { asPluginError, PluginError } from '../observe/plugin-error.ts';
import type { Registries } from './registries.ts';

const limitMs = 10_000;

interface Lifecycle {
  registries: Registries;
  /** what is to be undone when the service stops */
  shutdown: { add(name: string, run: () => unknown): void };
  timeoutMs?: number;
}

/**
 * Runs every `onStart` in the order of registration. What a plugin wants undone is noted before its first start, so
 * that a start which fails half-way is stopped too; the shutdown runs all of them in reverse order, whatever fails.
 * @throws PluginError: what a start threw, or that it was not done in time
 */
export async function startPlugins({ registries, shutdown, timeoutMs = limitMs }: Lifecycle): Promise<void> {
  for (const { plugin, contributions } of registries.plugins) {
    for (const stop of contributions.stops)
      shutdown.add(`plugin ${plugin.id}`, () => within(plugin.id, 'onStop', stop, timeoutMs));
    for (const start of contributions.starts)
      // each may rely on those before it
      // oxlint-disable-next-line no-await-in-loop
      await within(plugin.id, 'onStart', start, timeoutMs);
  }
}

async function within(plugin: string, what: string, work: () => unknown, timeoutMs: number): Promise<void> {
  const late = () =>
    new PluginError(
      plugin,
      `${what} was not done after ${timeoutMs} ms: begin what takes longer there, and do not wait for it`,
    );
  try {
    await inTime(() => work(), { ms: timeoutMs, late });
  } catch (error) {
    throw asPluginError(plugin, what, error);
  }
}
