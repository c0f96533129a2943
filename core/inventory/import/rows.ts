import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { SpecError } from '@tapline/plugin-sdk';
import { copyValue } from '../../db/copy.ts';
import { maxDepth } from '../../yaml/read-yaml.ts';
import { hasTemplateDelimiters } from '../names.ts';

/**
 * What an inventory source gave, as files of a folder that somebody else's code could write to: lines of JSON texts with
 * tabs between. Every line is judged here, and no file is held whole.
 */
export interface RowFolder {
  path: string;
  /** that a file may have */
  mostBytes: number;
}

const batchBytes = 262_144;

/** Lines of a file in batches of some size. @throws SpecError where it is not there, or too large */
async function* batchesOf({ path, mostBytes }: RowFolder, name: string): AsyncGenerator<string[]> {
  const root = await realpath(path);
  const file = await open(join(root, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  if (!file) throw new SpecError('The source left no inventory.');
  try {
    const about = await file.stat();
    if (root !== path || !about.isFile()) throw new SpecError('The inventory of the source leads elsewhere.');
    if (about.size > mostBytes)
      throw new SpecError(
        `The inventory of the source has more than the ${mostBytes} bytes of INVENTORY_MAX_BYTES: shorten the variables of its hosts and groups, or divide it.`,
      );
    let rest = '';
    for await (const chunk of file.createReadStream({
      encoding: 'utf8',
      highWaterMark: batchBytes,
      autoClose: false,
    }) as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      if (lines.length) yield lines;
    }
    if (rest) throw broken();
  } finally {
    await file.close();
  }
}

const broken = () => new SpecError('What the source left is no inventory: it was written by something else.');

/** @throws SpecError naming what cannot be stored */
function nameIn(text: string | undefined, what: 'host' | 'group'): string {
  const name = parsed(text);
  if (typeof name !== 'string') throw broken();
  const shown = JSON.stringify(name.slice(0, 100));
  const refuse = (why: string) => new SpecError(`The source names a ${what} ${shown}, ${why}. Nothing was changed.`);
  if (!name.trim()) throw refuse('which is no name');
  if (name.includes('\0') || !name.isWellFormed()) throw refuse('with a character that cannot be stored');
  if (name.length > 512) throw refuse('which is longer than 512 characters');
  if (hasTemplateDelimiters(name)) throw refuse('with template delimiters, which are not allowed in a name');
  return name;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw broken();
  }
}

/** The text of a mapping, as it stands: numbers keep their digits. */
function mappingIn(text: string | undefined, of: string): string {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw broken();
  if (mayBeDeep(text!) && isDeep(text!))
    throw new SpecError(`The variables of ${of} are nested deeper than ${maxDepth} levels.`);
  return text!;
}

/** Whose brackets are few is not deep, whatever they are: looking at each letter takes longer than reading the mapping. */
function mayBeDeep(text: string): boolean {
  let brackets = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if ((brackets += 1) > maxDepth) return true;
  return false;
}

function isDeep(text: string): boolean {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === 92 /* \ */) at += 1;
    else if (letter === 34 /* " */) quoted = !quoted;
    else if (quoted) continue;
    else if (letter === 123 || letter === 91) deepest = Math.max(deepest, (depth += 1));
    else if (letter === 125 || letter === 93) depth -= 1;
  }
  return deepest > maxDepth;
}

const enabledValues: Record<string, boolean | null> = { '-': null, '0': false, '1': true };

function instanceIn(text: string | undefined, host: string): string {
  const id = parsed(text);
  if (typeof id !== 'string') throw broken();
  if (id.includes('\0') || !id.isWellFormed() || id.length > 1024)
    throw new SpecError(`The source gives host ${JSON.stringify(host)} an instance id that cannot be stored.`);
  return id;
}

const hostLine = ([name, enabled, instance, variables]: string[]): (string | boolean | null)[] => {
  const host = nameIn(name, 'host');
  const isEnabled = enabledValues[enabled ?? ''];
  if (isEnabled === undefined) throw broken();
  return [host, isEnabled, instanceIn(instance, host), mappingIn(variables, `host ${JSON.stringify(host)}`)];
};

/** The engine's own, which every inventory has. */
const reserved = new Set(['all', 'ungrouped', '_meta']);

const groupLine = ([name, variables]: string[]): (string | boolean | null)[] => {
  const group = nameIn(name, 'group');
  if (reserved.has(group)) throw new SpecError(`The source names a group ${group}, which is reserved.`);
  return [group, mappingIn(variables, `group ${JSON.stringify(group)}`)];
};

const memberLine = ([group, host]: string[]) => [nameIn(group, 'group'), nameIn(host, 'host')];

const childLine = ([parent, child]: string[]) => {
  const pair = [nameIn(parent, 'group'), nameIn(child, 'group')];
  if (pair[0] === pair[1])
    throw new SpecError(`The source puts group ${JSON.stringify(pair[0])} into itself. Nothing was changed.`);
  return pair;
};

const lineOf = { hosts: hostLine, groups: groupLine, members: memberLine, children: childLine };

export type RowKind = keyof typeof lineOf;

/** The rows of one kind as lines of COPY. @throws SpecError naming what cannot be stored */
export async function* copyLines(folder: RowFolder, kind: RowKind): AsyncGenerator<string> {
  const read = lineOf[kind];
  for await (const lines of batchesOf(folder, kind)) {
    let batch = '';
    for (const line of lines) batch += `${read(line.split('\t')).map(copyValue).join('\t')}\n`;
    yield batch;
  }
}

/** The variables of the inventory itself, those of the group `all`. */
export async function inventoryVariablesIn(folder: RowFolder): Promise<string> {
  for await (const [line] of batchesOf(folder, 'variables')) return mappingIn(line, 'the inventory');
  throw broken();
}
