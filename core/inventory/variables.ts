import { ApiError } from '@tapline/plugin-sdk';
import { type ScalarTag, type ToJSOptions, isScalar, visit } from 'yaml';
import { AsideError, readAside } from '../engine/aside.ts';
import { isLongYaml, readYaml } from '../engine/read-yaml.ts';
import { ofAnyLength } from '../engine/variables-text.ts';
import { type Packed, pack, unpack } from './packed.ts';

export type Variables = Record<string, unknown>;

/** For texts of other people: no expansion bomb, and nesting that every reader of the result survives. */
const limits: ToJSOptions = { maxAliasCount: 100 };
const maxDepth = 100;

/** Numbers that JavaScript would print differently (1.0, 12345678901234567890) keep their digits. */
const raw = (source: string): unknown => (JSON as any).rawJSON(source);
const needsCare = /\d\.\d*0\b|\d{16}|\d[eE]/;
const isJsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const exact = (value: number, source: string) =>
  String(value) !== source && isJsonNumber.test(source) ? raw(source) : value;

function parseJson(text: string): unknown {
  if (!needsCare.test(text)) return JSON.parse(text);
  return (JSON.parse as any)(text, (_: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' && context.source ? exact(value, context.source) : value,
  );
}

/** Values that the engine decrypts or must not template stay marked, in the form its JSON reader knows. */
const engineTags: ScalarTag[] = [
  { tag: '!vault', resolve: (text) => ({ __ansible_vault: text }) },
  { tag: '!unsafe', resolve: (text) => ({ __ansible_unsafe: text }) },
];

function parseYaml(text: string): unknown {
  // 1.1 as the engine reads it: `yes` is true, `<<` merges; a key given twice counts once, the last time
  const document = readYaml(text, {
    version: '1.1',
    merge: true,
    customTags: (tags) => [...tags, ...engineTags],
  });
  visit(document, {
    Scalar: (key, node) => {
      if (key === 'key' || !isScalar(node) || !node.source) return;
      if (typeof node.value === 'number')
        node.value = Number.isFinite(node.value) ? exact(node.value, node.source) : node.source;
      else if (node.value instanceof Date) node.value = node.source;
    },
  });
  return document.toJS(limits);
}

function depth(value: unknown): number {
  let level: unknown[] = [value];
  for (let steps = 0; ; steps++) {
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
    if (!level.length || steps > maxDepth) return steps;
  }
}

export class VariablesError extends Error {
  override name = 'VariablesError';
}

/**
 * A mapping from its JSON or YAML text; blank text is the empty one.
 * @throws VariablesError naming what both readers say, for the user
 */
export function parseVariables(text: string): Variables {
  if (!text.trim()) return {};
  let jsonError = '';
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    jsonError = (error as Error).message;
    try {
      value = parseYaml(text);
    } catch (yamlError) {
      throw new VariablesError(
        `Cannot parse as JSON (error: ${brief(jsonError)}) or YAML (error: ${brief((yamlError as Error).message)}).`,
      );
    }
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    const found = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
    throw new VariablesError(
      `Cannot parse as JSON (error: ${jsonError ? brief(jsonError) : `not a mapping but ${found}`}) or YAML (error: not a mapping but ${found}).`,
    );
  }
  if (depth(value) > maxDepth) throw new VariablesError(`Nested deeper than ${maxDepth} levels.`);
  return value as Variables;
}

/** What is wrong with the text of variables, for the field that holds them. */
export function variablesProblem(text: string): string | undefined {
  try {
    parseVariables(text);
    return undefined;
  } catch (error) {
    if (error instanceof VariablesError) return error.message;
    throw error;
  }
}

export const packedVariables = (text: string): Packed => pack(storedVariables(text));
const packedReader = { module: new URL(import.meta.url), name: 'packedVariables' };

export const findVariablesProblem = ofAnyLength(import.meta.url, variablesProblem);

/** A parser's message quotes the text, which may be long or secret: keep its first words only. */
const brief = (message: string) => message.split(/, "|:?\n/)[0]!.slice(0, 120);

/** For text that was stored: what cannot be read (only old rows could hold it) counts as empty. */
export function storedVariables(text: string): Variables {
  try {
    return parseVariables(text);
  } catch {
    return {};
  }
}

/** The same of a text of any length; however many are waiting, since it was accepted once. */
export async function readStored(text: string): Promise<Variables> {
  if (!isLongYaml(text)) return storedVariables(text);
  try {
    return unpack(await readAside<Packed>(packedReader, text, { patient: true })) as Variables;
  } catch (error) {
    // it was read when it was stored: this is a machine with too much to do
    if (error instanceof AsideError) throw new ApiError(503, `Stored variables cannot be read now. ${error.message}`);
    throw error;
  }
}
