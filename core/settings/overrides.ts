import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blamedFor } from '../observe/section.ts';
import { PluginError, reasonOf } from '../observe/plugin-error.ts';
import { checkValue, SettingProblem } from './check-value.ts';
import type { SettingDefinition } from './definition.ts';

type Definitions = Record<string, SettingDefinition>;

/** @throws naming the key as the operator wrote it, and what it takes */
export function parseSetting(key: string, definition: SettingDefinition, text: string): unknown {
  const value = definition.type === 'list' && !text.startsWith('[') ? splitList(text) : plain(definition, text);
  return explained(`TAPLINE_${key} is ${definition.secret ? 'a secret' : JSON.stringify(text)}`, definition, value);
}

const splitList = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const plain = ({ type }: SettingDefinition, text: string) => (type === 'integer' ? text.trim() : text);

function explained(what: string, definition: SettingDefinition, value: unknown): unknown {
  try {
    return checkValue(definition, value);
  } catch (error) {
    const plugin = blamedFor(error)?.plugin;
    if (plugin !== undefined)
      throw new PluginError(
        plugin,
        `${what}, which its own check could not judge: ${reasonOf(error)}. Unset it, or correct the plugin.`,
        { cause: error },
      );
    if (!(error instanceof SettingProblem)) throw error;
    throw new Error(`${what}, which cannot be used: ${error.message} ${definition.help}`, { cause: error });
  }
}

/** What TAPLINE_<KEY> variables say. */
export function environmentLayer(definitions: Definitions, texts: Record<string, string>): Map<string, unknown> {
  const given = Object.entries(definitions).filter(([key]) => texts[key] !== undefined);
  return new Map(given.map(([key, definition]) => [key, parseSetting(key, definition, texts[key]!)]));
}

/**
 * What settings.json in the data folder says; it is read once, at the start.
 * @param idle keys that are right although nobody follows them now
 */
export function fileLayer(
  definitions: Definitions,
  dataDir: string | undefined,
  idle: readonly string[] = [],
): Map<string, unknown> {
  if (!dataDir) return new Map();
  const path = join(dataDir, 'settings.json');
  const read = Object.entries(readSettingsFile(path)).filter(
    ([key]) => Object.hasOwn(definitions, key) || !idle.includes(key),
  );
  const unknown = read.find(([key]) => !Object.hasOwn(definitions, key))?.[0];
  if (unknown !== undefined) throw new Error(`${path}: there is no setting ${unknown}; correct its name or remove it`);
  return new Map(read.map(([key, value]) => [key, explained(`${path}: ${key} is set`, definitions[key]!, value)]));
}

function readSettingsFile(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // said below
  }
  throw new Error(`${path} must hold one JSON object of settings, such as {"MAX_FORKS": 50}`);
}
