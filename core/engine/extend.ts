import type { Extension, Field, Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../observe/log.ts';
import { callError } from '../plugins/error.ts';
import { safeFields, safeLinks, safeSummaries } from './extend-safely.ts';
import { reserved } from './filter-key.ts';
import type { SideField, SideTable } from './side-field.ts';
import { assertSideTables } from './side-tables.ts';
import type { Table, Tables } from './tables.ts';

/** What a plugin adds to a resource of core; `table` names its schema already. */
export interface DeclaredExtension {
  plugin: string;
  type: string;
  extension: Extension;
}

export interface Extending {
  db: Knex;
  log: Pick<Log, 'warn'>;
  resources: readonly Resource[];
  extensions: readonly DeclaredExtension[];
  tables: Tables;
  /** types that plugins declared, with the plugin */
  owners?: ReadonlyMap<string, string>;
}

/**
 * The descriptors with what plugins add to them: from here on nothing else need know that there are extensions.
 * @throws PluginError naming the plugin, what does not fit, and the remedy
 */
export async function extendResources(given: Extending): Promise<readonly Resource[]> {
  const { resources, extensions } = given;
  if (!extensions.length) return resources;
  const byType = new Map(resources.map((resource) => [resource.type, resource]));
  const taken = new Map<string, string>();
  const sides: { declared: DeclaredExtension; target: Resource }[] = [];
  for (const [index, declared] of extensions.entries()) {
    const target = targetOf(declared, byType, given.owners);
    assertFree(declared, target, taken);
    const fields = bindFields(declared, target, given.tables, `e${index}`);
    if (declared.extension.table) sides.push({ declared, target });
    byType.set(target.type, merged(target, declared, fields, given.log));
  }
  await assertSideTables(given.db, sides);
  return resources.map(({ type }) => byType.get(type)!);
}

const callOf = (type: string) => `api.extend("${type}")`;
const fault = ({ plugin, type }: DeclaredExtension, problem: string, remedy: string) =>
  callError(plugin, callOf(type), problem, remedy);

function targetOf(
  declared: DeclaredExtension,
  byType: ReadonlyMap<string, Resource>,
  owners: ReadonlyMap<string, string> = new Map(),
): Resource {
  const { plugin, type } = declared;
  const target = byType.get(type);
  const owner = owners.get(type);
  if (!target) {
    const near = [...byType.keys()].find((known) => known === type.replace(/s$/, '') || known.includes(type));
    throw fault(
      declared,
      'names a type that nobody declares',
      `take the type of a resource of core, in the singular${near ? `: perhaps "${near}"` : ', like "organization"'}`,
    );
  }
  if (owner === plugin) throw fault(declared, 'extends a resource of its own', 'put the fields into its descriptor');
  if (owner !== undefined)
    throw fault(
      declared,
      `extends a resource of plugin ${owner}`,
      'only those of core can be extended; link to it from a resource of your own instead',
    );
  if (target.variants)
    throw fault(
      declared,
      'extends a list of several types, whose rows are shown as their own types are',
      `extend ${target.variants.join(', ')} instead`,
    );
  return target;
}

const always = [
  'id',
  'type',
  'url',
  'related',
  'summary_fields',
  'created',
  'modified',
  'created_by',
  'modified_by',
  'pk',
];

/** Nothing of core's and nothing of another plugin's may change its meaning by an extension. */
function assertFree(declared: DeclaredExtension, target: Resource, taken: Map<string, string>): void {
  const { plugin, type, extension } = declared;
  const inCore = new Map<string, string>([
    ...always.map((name) => [name, 'field'] as const),
    ...[...reserved].map((name) => [name, 'parameter'] as const),
    ...Object.keys(target.actions ?? {}).map((name) => [name, 'action'] as const),
    ...Object.keys(target.spans ?? {}).map((name) => [name, 'relation'] as const),
    ...Object.keys(target.sublists ?? {}).map((name) => [name, 'list'] as const),
    ...Object.keys(target.fields).map((name) => [name, 'field'] as const),
  ]);
  const added = [
    ...Object.keys(extension.fields ?? {}).map((name) => ['field', name] as const),
    ...Object.keys(extension.sublists ?? {}).map((name) => ['sublist', name] as const),
  ];
  for (const [kind, name] of added) {
    const remedy = `choose another name, such as ${plugin.replaceAll('-', '_')}_${name}`;
    const other = taken.get(`${type}.${name}`);
    if (other !== undefined)
      throw fault(
        declared,
        `adds the ${kind} ${name}, which plugin ${other} adds as well`,
        `${remedy}, or switch one of the two plugins off`,
      );
    const core = inCore.get(name);
    if (core) throw fault(declared, `adds the ${kind} ${name}, but ${type} has a ${core} of that name in core`, remedy);
    if (!/^[a-z]\w*$/.test(name) || name.includes('__'))
      throw fault(declared, `adds the ${kind} ${name}`, 'names are in snake_case, without two underscores in a row');
    taken.set(`${type}.${name}`, plugin);
  }
}

const isKept = ({ type, sql }: Field) => type !== 'computed' && sql === undefined;

function bindFields(
  declared: DeclaredExtension,
  target: Resource,
  tables: Tables,
  alias: string,
): Record<string, Field> {
  const { plugin, type, extension } = declared;
  const { table, key = `${type}_id`, fields = {} } = extension;
  const kept = Object.values(fields).some(isKept);
  if (kept && !table)
    throw fault(declared, 'adds stored fields', 'name the side table that holds them: `table`, made by a migration');
  const columns = table === undefined ? undefined : tables.get(table);
  if (table !== undefined && !columns)
    throw fault(declared, `has no table ${table}`, 'make it in a migration of the plugin');
  if (table !== undefined && target.identity)
    throw fault(declared, 'adds stored fields to rows that have no id column', 'add computed fields only');
  const side = { plugin, table: table ?? '', key, alias };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isKept(field) ? sideField(declared, target, side, columns!, name, field) : field,
    ]),
  );
}

function sideField(
  declared: DeclaredExtension,
  target: Resource,
  side: SideTable,
  columns: Table,
  name: string,
  field: Field,
): SideField {
  const column = field.column ?? (field.type === 'ref' ? `${name}_id` : name);
  const dataType = columns.get(column);
  if (dataType === undefined)
    throw fault(declared, `has no column ${column} in ${side.table} for its field ${name}`, 'add it in a migration');
  if (field.required)
    throw fault(
      declared,
      `makes its field ${name} required`,
      `give it a default: clients that do not know the plugin make ${target.path.replaceAll('_', ' ')} too`,
    );
  if (field.secret && dataType !== 'text')
    throw fault(
      declared,
      `keeps the secret ${name} in a column of type ${dataType}`,
      'make it text: it is stored encrypted',
    );
  return { ...field, side: { ...side, column, dataType } };
}

function merged(
  target: Resource,
  { plugin, type, extension }: DeclaredExtension,
  fields: Record<string, Field>,
  log: Pick<Log, 'warn'>,
): Resource {
  const { related, summaries, sublists = {} } = extension;
  const names = new Set([
    ...Object.keys(target.fields),
    ...Object.keys(target.sublists ?? {}),
    ...Object.keys(target.actions ?? {}),
  ]);
  const own = (entries: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !names.has(name)));
  const failed = (what: string) => (err: unknown) => {
    log.warn({ plugin, err }, `${what} that plugin ${plugin} adds to ${type} failed; they are left out`);
  };
  return {
    ...target,
    fields: { ...target.fields, ...safeFields(fields, failed('fields')) },
    sublists: { ...target.sublists, ...sublists },
    ...(related && { related: safeLinks(target.related, related, own, failed('links')) }),
    ...(summaries && { summaries: safeSummaries(target.summaries, summaries, own, failed('summaries')) }),
  };
}
