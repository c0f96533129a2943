import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client } from '../support/api.ts';

interface Entry {
  type: string;
  required?: boolean;
  choices?: string[];
}

/** What a resource looks like to the clients we mean to serve: keys and JSON types only. */
export interface Shape {
  name: string;
  list?: { allow: string };
  create?: Record<string, Entry>;
  /** of what is no list: each key by its path, with its type */
  get?: Record<string, string>;
  /** what hangs below the list */
  other?: Record<string, { allow: string }>;
  filterable?: string[];
  get_types?: Record<string, string>;
  detail?: {
    allow: string;
    fields: Record<string, string>;
    related: string[];
    summary_fields: Record<string, string>;
  };
  options_keys?: string[];
  under?: Record<string, { allow: string; list?: true; keys?: Record<string, string> }>;
}

const folder = join(import.meta.dirname, '../fixtures/shapes');

export const shapes: Shape[] = globSync('*.json', { cwd: folder })
  .toSorted()
  .map((file) => ({ name: basename(file, '.json'), ...JSON.parse(readFileSync(join(folder, file), 'utf8')) }));

/** As the shapes spell them. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return { string: 'str', boolean: 'bool', object: 'dict' }[typeof value as string] ?? typeof value;
}

/** null stands for any type, and a whole number is a float too. */
const fits = (wanted: string, found: string) =>
  wanted === found || wanted === 'null' || found === 'null' || (wanted === 'float' && found === 'int');

const methodsOf = (allow: string | null) =>
  (allow ?? 'none')
    .split(', ')
    .filter((method) => method !== 'HEAD' && method !== 'OPTIONS')
    .join(', ');

/** Where our resource differs, one line each; what we have beyond the shape is no difference. */
export async function differences(client: Client, shape: Shape, id: number | undefined): Promise<string[]> {
  const base = `/api/v2/${shape.name}/`;
  const found: string[] = [];
  const note = (text: string) => void found.push(`${shape.name} ${text}`);
  if (shape.list) await compareList(client, base, shape, note);
  if (shape.get) await comparePlain(client, base, shape.get, note);
  for (const [name, wanted] of Object.entries(shape.other ?? {})) await compareUnder(client, base, name, wanted, note);
  if (shape.detail && id !== undefined) await compareDetail(client, `${base}${id}/`, shape, note);
  else if (shape.detail) note('detail: no object to look at');
  return found;
}

type Note = (text: string) => void;

async function compareList(client: Client, base: string, shape: Shape, note: Note): Promise<void> {
  const { headers, body, status } = await client('OPTIONS', base);
  if (status !== 200) return note(`list: OPTIONS answers ${status}`);
  const allow = methodsOf(headers.get('allow'));
  if (allow !== shape.list!.allow) note(`list: allows ${allow}, not ${shape.list!.allow}`);
  const { GET = {}, POST = {} } = body.actions ?? {};
  for (const [name, wanted] of Object.entries(shape.create ?? {})) {
    const entry = POST[name];
    if (!entry) note(`create ${name}: missing`);
    else {
      if (entry.type !== wanted.type) note(`create ${name}: type ${entry.type}, not ${wanted.type}`);
      if (entry.required !== (wanted.required ?? false)) note(`create ${name}: required is ${entry.required}`);
      // `None` is how the recorded server spells that nothing is chosen
      const choices = (entry.choices ?? []).map(([value]: [unknown]) => (value === null ? 'None' : String(value)));
      for (const choice of wanted.choices ?? [])
        if (!choices.includes(choice)) note(`create ${name}: lacks the choice '${choice}'`);
    }
  }
  for (const [name, { required }] of Object.entries<any>(POST))
    if (required && !shape.create?.[name]) note(`create ${name}: required beyond the shape`);
  for (const [name, type] of Object.entries(shape.get_types ?? {})) {
    if (!GET[name]) note(`get ${name}: missing`);
    // `field` is what the recorded server says of a type that it cannot name: any is as good
    else if (type !== 'field' && GET[name].type !== type) note(`get ${name}: type ${GET[name].type}, not ${type}`);
  }
  for (const name of shape.filterable ?? [])
    if (GET[name] && !GET[name].filterable) note(`get ${name}: not filterable`);
}

async function comparePlain(client: Client, url: string, keys: Record<string, string>, note: Note): Promise<void> {
  const { body, status } = await client('GET', url);
  if (status !== 200) return note(`get: answers ${status}`);
  compareKeys(body, keys, (name, text) => note(`get ${name}: ${text}`));
}

/** The values at a path: `a.b` is one, `a[].b` one of each element. */
function valuesAt(body: any, path: string): unknown[] {
  const steps = path.replaceAll('[]', '.[]').split('.');
  return steps.reduce<any[]>((found, step) => found.flatMap((one) => (step === '[]' ? one : [one?.[step]])), [body]);
}

function compareKeys(body: any, keys: Record<string, string>, note: (name: string, text: string) => void): void {
  for (const [name, type] of Object.entries(keys)) {
    const wrong = valuesAt(body, name).filter((value) => value === undefined || !fits(type, jsonType(value)));
    if (wrong.length) note(name, wrong[0] === undefined ? 'missing' : `${jsonType(wrong[0])}, not ${type}`);
  }
}

async function compareDetail(client: Client, url: string, shape: Shape, note: Note): Promise<void> {
  const { headers, body, status } = await client('GET', url);
  if (status !== 200) return note(`detail: answers ${status}`);
  const { allow, fields, related, summary_fields: summaries } = shape.detail!;
  if (methodsOf(headers.get('allow')) !== allow)
    note(`detail: allows ${methodsOf(headers.get('allow'))}, not ${allow}`);
  for (const [name, type] of Object.entries(fields)) {
    if (name.endsWith('?')) continue;
    if (name.endsWith('[]')) {
      const found = (body[name.slice(0, -2)] ?? []).map(jsonType).filter((one: string) => !fits(type, one));
      if (found.length) note(`field ${name}: ${found[0]}, not ${type}`);
      continue;
    }
    const value = name.split('.').reduce((within, key) => within?.[key], body);
    if (value === undefined) note(`field ${name}: missing`);
    else if (!fits(type, jsonType(value))) note(`field ${name}: ${jsonType(value)}, not ${type}`);
  }
  for (const name of related) if (!/[?[]/.test(name) && !(name in body.related)) note(`related ${name}: missing`);
  for (const [name, parts] of Object.entries(summaries))
    if (!/[?[]/.test(name)) compareSummary(name, parts, body.summary_fields[name], note);
  await compareOptions(client, url, shape, note);
  for (const [name, wanted] of Object.entries(shape.under ?? {})) await compareUnder(client, url, name, wanted, note);
}

function compareSummary(name: string, parts: string, value: any, note: Note): void {
  if (value === undefined) return note(`summary ${name}: missing`);
  for (const part of parts.split(', ')) {
    const [key = '', type = ''] = part.split(':');
    if (!key || /[?.[]/.test(key)) continue;
    if (!(key in value)) note(`summary ${name}.${key}: missing`);
    else if (!fits(type, jsonType(value[key]))) note(`summary ${name}.${key}: ${jsonType(value[key])}, not ${type}`);
  }
}

async function compareOptions(client: Client, url: string, shape: Shape, note: Note): Promise<void> {
  const { body } = await client('OPTIONS', url);
  for (const key of shape.options_keys ?? []) if (!(key in body)) note(`OPTIONS ${key}: missing`);
}

async function compareUnder(
  client: Client,
  url: string,
  name: string,
  wanted: NonNullable<Shape['under']>[string],
  note: Note,
): Promise<void> {
  const { status, headers } = await client('OPTIONS', url + name);
  if (status === 404) return note(`under ${name}: not served`);
  const allow = methodsOf(headers.get('allow'));
  if (allow !== wanted.allow) note(`under ${name}: allows ${allow}, not ${wanted.allow}`);
  if (!wanted.allow.includes('GET') || !allow.includes('GET')) return;
  const { body } = await client('GET', `${url}${name}${wanted.keys ? '?format=json' : ''}`);
  if (wanted.list && !Array.isArray(body?.results)) note(`under ${name}: no paged list`);
  for (const [key, type] of Object.entries(wanted.keys ?? {})) {
    if (/[.?[]/.test(key)) continue;
    if (!(key in body)) note(`under ${name}: ${key} missing`);
    else if (!fits(type, jsonType(body[key]))) note(`under ${name}: ${key} is ${jsonType(body[key])}, not ${type}`);
  }
}
