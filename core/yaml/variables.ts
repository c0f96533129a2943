import { ApiError } from '@tapline/plugin-sdk';
import { AsideError, ofAnyLength } from './aside.ts';
import { maxDepth } from './read-yaml.ts';
import { maxDigits } from './scalars.ts';
import { yamlToJson } from './yaml-to-json.ts';

export type Variables = Record<string, unknown>;

export interface Reading {
  /** `!vault` and `!unsafe` may stand in YAML: it goes to the engine as inventory */
  engineTags?: boolean;
  /** in characters; for what is sent, not for what was accepted once */
  maxLength?: number;
  /** waits for its turn however many do: the text was accepted once */
  patient?: boolean;
}

/** What is wrong with variables, for who sent them. */
export class VariablesError extends Error {
  override name = 'VariablesError';
}

const toJson = ofAnyLength(new URL('./yaml-to-json.ts', import.meta.url), yamlToJson);

/**
 * The one reader of variables, of inventories and of launches: the JSON or YAML text of a mapping as the engine
 * reads it, or the mapping itself; blank text is the empty one. Of values with one name the last counts.
 * @throws VariablesError with what both parsers say, AsideError when it costs too much, ApiError 503 when too many wait
 */
export async function readVariables(value: unknown, reading: Reading = {}): Promise<Variables> {
  if (typeof value === 'string') assertShort(value, reading);
  const { parsed, jsonError } = typeof value === 'string' ? await readText(value, reading) : { parsed: value };
  if (parsed === null || parsed === undefined) return {};
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    const problem = `not a mapping but a ${Array.isArray(parsed) ? 'list' : typeof parsed}`;
    throw unparsable(jsonError ?? problem, problem);
  }
  assertPlain(parsed, 0);
  if (parsed === value && reading.maxLength !== undefined) assertShort(JSON.stringify(value), reading);
  return parsed as Variables;
}

/** What is wrong with the text of variables, for the field that holds them. */
export async function variablesProblem(text: string, reading: Reading = {}): Promise<string | undefined> {
  try {
    await readVariables(text, reading);
    return undefined;
  } catch (error) {
    if (error instanceof VariablesError || error instanceof AsideError) return error.message;
    throw error;
  }
}

/**
 * Variables that were checked when they were stored; what is unreadable nevertheless counts as empty.
 * @throws ApiError 503 when this machine has too much to do
 */
export async function storedVariables(text: string, reading: Reading = {}): Promise<Variables> {
  try {
    return await readVariables(text, reading);
  } catch (error) {
    if (error instanceof VariablesError) return {};
    if (error instanceof AsideError) throw new ApiError(503, `Stored variables cannot be read now. ${error.message}`);
    throw error;
  }
}

/**
 * The same of plain JSON text, at once: an inventory has thousands of texts.
 * @returns undefined where it takes a closer look
 */
export function storedJson(text: string): Variables | undefined {
  if (!text.startsWith('{') || needsCare.test(text)) return undefined;
  try {
    const parsed = JSON.parse(text) as Variables;
    return isDeeper(parsed, maxDepth) ? undefined : parsed;
  } catch {
    return undefined;
  }
}

/** Whether it may be handed on as it is: the JSON text of a mapping, no deeper than variables are. */
export function isStoredJson(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    return !isDeeper(JSON.parse(text) as Variables, maxDepth);
  } catch {
    return false;
  }
}

function isDeeper(value: object, levels: number): boolean {
  for (const key in value) {
    const item: unknown = value[key as keyof typeof value];
    if (typeof item === 'object' && item !== null && (levels <= 1 || isDeeper(item, levels - 1))) return true;
  }
  return false;
}

function assertShort({ length }: string, { maxLength = Infinity }: Reading): void {
  if (length > maxLength) throw new VariablesError(`Must not be longer than ${maxLength} characters.`);
}

async function readText(text: string, { engineTags, patient }: Reading) {
  if (!text.trim()) return { parsed: {} };
  try {
    return { parsed: parseJson(text) };
  } catch (error) {
    const jsonError = (error as Error).message;
    try {
      return { parsed: parseJson(await toJson({ text, engineTags }, { patient })), jsonError };
    } catch (yamlError) {
      throw yamlError instanceof SyntaxError ? unparsable(jsonError, yamlError.message) : yamlError;
    }
  }
}

const unparsable = (json: string, yaml: string) =>
  new VariablesError(`Cannot parse as JSON (error: ${brief(json)}) or YAML (error: ${brief(yaml)}).`);

/** A parser's message quotes the text, which may be long or secret: keep its first words only. */
const brief = (message: string) => message.split(/, "|:?\n/)[0]!.slice(0, 120);

/** What the language has and its types lack. */
const exactJson = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(digits: string): { rawJSON: string };
  isRawJSON(value: unknown): value is { rawJSON: string };
};
/** A number that JavaScript may write in another way: not within a word or an address, where most digits are. */
const needsCare = /(?<![^[,:\s])-?\d(?:[\d.]{15}|[\d.]*[eE]|\d*\.\d*0(?![\d.]))/;

/** Numbers that JavaScript would write in another way (1.0, 12345678901234567890) keep their digits. */
function parseJson(text: string): unknown {
  if (!needsCare.test(text)) return JSON.parse(text);
  return exactJson.parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    const lost = /[.eE]/.test(source) ? !Number.isFinite(value) : source.length > maxDigits;
    return lost ? Infinity : exactJson.rawJSON(source);
  });
}

/** Of such a number. */
export const exactDigits = (value: unknown): string | undefined =>
  exactJson.isRawJSON(value) ? value.rawJSON : undefined;

const unknownToJson = [Date, Map, Set, Uint8Array];

/** What JSON cannot hold would reach the engine as something else. */
function assertPlain(value: unknown, depth: number): void {
  if (depth > maxDepth) throw new VariablesError(`Nested deeper than ${maxDepth} levels.`);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new VariablesError(`Infinite numbers, NaN and numbers of over ${maxDigits} digits cannot be passed on.`);
  if (typeof value === 'bigint' || (typeof value === 'object' && unknownToJson.some((kind) => value instanceof kind)))
    throw new VariablesError('Holds a value that JSON cannot represent.');
  if (typeof value !== 'object' || value === null || exactDigits(value) !== undefined) return;
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

/** Whether what came back is our own value, also from a client that knows numbers as JavaScript does. */
export function sameValue(own: unknown, sent: unknown): boolean {
  if (own === sent || own === undefined) return own === sent;
  const [exact, other] = [canonical(own), canonical(sent)];
  return exact === other || canonical(JSON.parse(exact)) === other;
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    item && typeof item === 'object' && !Array.isArray(item) && exactDigits(item) === undefined
      ? Object.fromEntries(Object.entries(item).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : item,
  );
