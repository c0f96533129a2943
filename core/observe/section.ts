import { AsyncLocalStorage } from 'node:async_hooks';

/** Code of a plugin that runs now: whose, and in which part of it (`beforeStart tap quota`, `task capture`). */
export interface Section {
  plugin: string;
  what: string;
}

const current = new AsyncLocalStorage<Section>();

/**
 * Runs code of a plugin so that whatever becomes of it can be told as its doing: timers, promises and
 * listeners that it leaves behind carry the mark too.
 */
export const inSection = <T>(section: Section, work: () => T): T => current.run(section, work);

/** Whose code runs now; undefined for core's own. */
export const currentSection = (): Section | undefined => current.getStore();

/** Core goes on in its own name, for instance in a service that a plugin called and that outlives the call. */
export const outsideSections = <T>(work: () => T): T => current.exit(work);

const blamed = new WeakMap<object, Section>();

/** Notes who threw an error; what is no object becomes one. */
export function blame(error: unknown, section: Section): object {
  const thrown =
    typeof error === 'object' && error !== null ? error : new Error(`${section.what} threw ${describe(error)}`);
  if (!blamed.has(thrown)) blamed.set(thrown, section);
  return thrown;
}

/** Who threw it, where that is known. */
export const blamedFor = (error: unknown): Section | undefined =>
  typeof error === 'object' && error !== null ? blamed.get(error) : undefined;

function describe(value: unknown): string {
  return typeof value === 'symbol' ? value.toString() : String(value as string | undefined);
}
