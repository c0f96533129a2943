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

/** `fn` in the name of a plugin. */
export const sectioned =
  <A extends unknown[], R>(section: Section, fn: (...args: A) => R) =>
  (...args: A): R =>
    current.run(section, fn, ...args);
