import { ApiError, inTime } from '@tapline/plugin-sdk';
import { blame, inSection, type Section } from '../../observe/section.ts';

/** Nobody's transaction, and nobody's answer, waits longer for a plugin than this. */
export const patience = { write: 10_000, answer: 2000 };

type Fn = (...given: never[]) => unknown;

export interface How {
  plugin: string;
  what: string;
  /** milliseconds; without it a promise may take what it takes */
  limit?: number;
}

/**
 * `fn` in the name of its plugin: what it throws, leaves behind or blocks is told as its doing; and where core would
 * hold a transaction or an answer open for it, it has a limited time.
 */
export function named<F extends Fn>({ plugin, what, limit }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = (...given: never[]): unknown => {
    let result: unknown;
    try {
      result = inSection(section, () => fn(...given));
    } catch (error) {
      throw blame(error, section);
    }
    // a builder of queries would be run by waiting for it
    if (
      !(result instanceof Promise) &&
      (typeof (result as { then?: unknown } | null | undefined)?.then !== 'function' || isBuilder(result))
    )
      return result;
    const settled = Promise.resolve(result).catch((error: unknown) => {
      throw blame(error, section);
    });
    return limit === undefined ? settled : inTime(() => settled, { ms: limit, late: () => tooLate(section, limit) });
  };
  // its source is that of the plugin's own
  run.toString = () => String(fn);
  return run as F;
}

function tooLate(section: Section, ms: number): Error {
  const text = `Plugin ${section.plugin} did not answer within ${ms / 1000} s (${section.what}). Try again later.`;
  const error = new ApiError(503, text, { 'Retry-After': '5' });
  blame(error, section);
  return error;
}

/**
 * The same for what has to be done when it returns: narrowing a query, or refusing a body. What it returns is dropped: a
 * query builder is thenable, so that waiting for it would run it. A promise is refused, since nobody would wait for it
 * and a condition that comes later is none.
 */
function atOnce<F extends Fn>({ plugin, what }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = (...given: never[]): void => {
    let result: unknown;
    try {
      result = inSection(section, () => fn(...given));
    } catch (error) {
      throw blame(error, section);
    }
    if (!(result instanceof Promise)) return;
    result.catch(() => undefined);
    throw blame(new Error(`${what} of plugin ${plugin} returned a promise: it must be done when it returns`), section);
  };
  return run as F;
}

export type Check = (value: never) => string | undefined;

/** What decides about a value says what is wrong with it, or nothing; anything else decides nothing. */
export function verdict({ plugin, what }: How, check: Check): Check {
  const section: Section = { plugin, what };
  const run = named(section, check);
  return (value) => {
    const problem: unknown = run(value);
    if (problem === undefined || typeof problem === 'string') return problem;
    if (problem instanceof Promise) problem.catch(() => undefined);
    throw blame(new Error(`${what} must return at once what is wrong, as a text, or undefined`), section);
  };
}

/** What makes a text makes it at once. */
export function textOf<F extends (...given: never[]) => string>({ plugin, what }: How, fn: F): F {
  const section: Section = { plugin, what };
  const run = named(section, fn);
  const checked = (...given: Parameters<F>): string => {
    const text: unknown = run(...given);
    if (typeof text === 'string') return text;
    if (text instanceof Promise) text.catch(() => undefined);
    throw blame(new Error(`${what} must return a text at once`), section);
  };
  return checked as F;
}

const doneAtOnce = new Set(['query', 'where', 'listed', 'prepare', 'refuse', 'narrow', 'mayAdvance']);

/** The same object with these of its functions named. */
export function withNamed<T extends object>(object: T, how: How, keys: readonly string[]): T {
  const copy = { ...object } as Record<string, unknown>;
  for (const key of keys) {
    if (typeof copy[key] !== 'function') continue;
    const own = { ...how, what: `${how.what} ${key}` };
    copy[key] = doneAtOnce.has(key) ? atOnce(own, copy[key] as Fn) : named(own, copy[key] as Fn);
  }
  return copy as T;
}

export const mapValues = <T>(object: Readonly<Record<string, T>> | undefined, change: (value: T, key: string) => T) =>
  object && Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** knex's builders can be awaited too; an arrow function may well return the one that it narrowed. */
const isBuilder = (value: unknown): boolean => typeof (value as { toSQL?: unknown }).toSQL === 'function';
