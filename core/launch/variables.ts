import { ApiError } from '@tapline/plugin-sdk';
import { type Document, isScalar, visit } from 'yaml';
import { AsideError, readAside } from '../engine/aside.ts';
import { isLongYaml, readYaml } from '../engine/read-yaml.ts';

export type Variables = Record<string, unknown>;

const MAX_DEPTH = 200;

/**
 * Reads extra variables: JSON or YAML text of a mapping, or the mapping itself.
 * @throws Error with the text for the client
 */
export function parseVariables(value: unknown): Variables {
  if (value === '' || value === undefined) return {};
  const parsed = typeof value === 'string' ? parseText(value) : value;
  if (parsed === null) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed))
    throw new Error('Must be a JSON or YAML mapping of variables.');
  assertPlain(parsed, 0);
  return parsed as Variables;
}

type Answer = { variables: Variables } | { problem: string };

/** For another thread, from which only what can be copied comes back. */
export function answerVariables(text: string): Answer {
  try {
    return { variables: parseVariables(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

const reader = { module: new URL(import.meta.url), name: 'answerVariables' };

/** The same of a text of any length, without keeping the event loop: only long YAML is worth a promise. */
export function readVariables(value: unknown): Variables | Promise<Variables> {
  return typeof value === 'string' && isLongYaml(value)
    ? variablesOf(readAside<Answer>(reader, value))
    : parseVariables(value);
}

async function variablesOf(asked: Promise<Answer>): Promise<Variables> {
  const answer = await asked;
  if ('problem' in answer) throw new Error(answer.problem);
  return answer.variables;
}

/** For the field that holds such a text. */
export async function variablesProblem(text: string): Promise<string | undefined> {
  try {
    await readVariables(text);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return (error as Error).message;
  }
}

/**
 * The variables that a template holds. They were checked when they were stored; a template that is unreadable
 * nevertheless has none.
 * @throws ApiError 503 when they cannot be read now
 */
export async function templateVariables(template: Record<string, any>): Promise<Variables> {
  try {
    return await readVariables(template['extra_vars'] ?? '');
  } catch (error) {
    if (error instanceof AsideError)
      throw new ApiError(503, `The template's variables cannot be read now. ${error.message}`);
    if (error instanceof ApiError) throw error;
    return {};
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (jsonError) {
    try {
      // aliases may multiply without end ("billion laughs")
      return assertSingleKeys(readYaml(text)).toJS({ maxAliasCount: 100 });
    } catch (error) {
      throw new Error(
        `Cannot be read as JSON (${(jsonError as Error).message}) nor as YAML (${(error as Error).message}).`,
        { cause: error },
      );
    }
  }
}

/** Of two values for one variable somebody meant the other. */
function assertSingleKeys(document: Document.Parsed): Document.Parsed {
  visit(document, {
    Map: (_, { items }) => {
      const names = items.map(({ key }) => (isScalar(key) ? key.value : key));
      if (new Set(names).size < names.length) throw new Error('a name is given twice in one mapping');
    },
  });
  return document;
}

/** What JSON cannot hold would reach the engine as something else. */
function assertPlain(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error(`Must not be nested deeper than ${MAX_DEPTH} levels.`);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error('Infinite numbers and NaN cannot be passed on.');
  if (
    typeof value === 'bigint' ||
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Uint8Array
  ) {
    throw new Error('Holds a value that JSON cannot represent.');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) assertPlain(item, depth + 1);
}

/** Key by key, the later one wins; own keys only, so `__proto__` is a name like any other. */
export function mergeVariables(...layers: readonly Variables[]): Variables {
  const merged: Variables = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer)) {
      Object.defineProperty(merged, key, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return merged;
}

export const sameValue = (a: unknown, b: unknown): boolean => a === b || canonical(a) === canonical(b);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item) =>
    item && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : item,
  );
