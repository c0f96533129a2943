import type { Plugin } from '../plugin.ts';
import { lateCalls } from '../checks/late-calls.ts';
import type { SandboxService } from '../services.ts';
import { recordPlugin } from './record.ts';

const limitMs = 200;

/**
 * Starts and stops the plugin with services that do nothing, and answers which contributions it made then: too late. What
 * is behind the first wait for the database is not reached, but the sources of its starts are read as well.
 */
export async function lateContributions(plugin: Plugin): Promise<string[]> {
  const { contributions, late } = recordPlugin(plugin, { services: { db: silent, sandbox: silent as SandboxService } });
  for (const work of [...contributions.starts, ...contributions.stops.toReversed()]) await inTime(work);
  const written = contributions.starts.flatMap((start) => lateCalls(plugin.register, start));
  return [...new Set([...late, ...written])];
}

/** Takes every call and never answers: what would fail without an answer does not fail. */
const silent: object = new Proxy(() => undefined, {
  get: (_, key) => (key === 'then' ? () => undefined : typeof key === 'symbol' ? undefined : silent),
  apply: () => silent,
});

/** Whatever else fails there is not what is asked about. */
async function inTime(work: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  const done = Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      () => undefined,
    );
  await Promise.race([done, late]);
  clearTimeout(timer);
}
