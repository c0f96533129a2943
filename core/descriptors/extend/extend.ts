import type { Field, Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../../observe/log.ts';
import { actionRights } from './action-rights.ts';
import { assertFree } from './assert-free.ts';
import { type DeclaredExtension, extensionFault } from './declared.ts';
import { safeFields, safeLinks, safeSummaries } from './extend-safely.ts';
import type { SideField, SideTable } from './side-field.ts';
import { assertSideTables } from './side-tables.ts';
import { type Extended, extensionTargets, idleExtensions } from './targets.ts';
import type { Table, Tables } from '../../db/tables.ts';

export interface Extending extends Extended {
  db: Knex;
  log: Pick<Log, 'warn'>;
  tables: Tables;
}

/** What needs no tables. @throws PluginError where an extension cannot have its target, or wants what is there already */
export function assertExtensible(extended: Extended): void {
  const taken = new Map<string, string>();
  for (const targeted of extensionTargets(extended)) {
    assertFree(targeted, taken);
    assertNotRequired(targeted.declared, targeted.target);
  }
}

/**
 * The descriptors with what plugins add to them: from here on nothing else need know that there are extensions.
 * @throws PluginError naming the plugin, what does not fit, and the remedy
 */
export async function extendResources(given: Extending): Promise<readonly Resource[]> {
  const { resources, extensions, log } = given;
  if (!extensions.length) return resources;
  assertExtensible(given);
  for (const { plugin, type } of idleExtensions(given))
    log.warn({ plugin, type }, `what plugin ${plugin} adds to ${type} waits: nobody declares that type`);
  const byType = new Map(resources.map((resource) => [resource.type, resource]));
  const targeted = extensionTargets(given);
  for (const [index, { declared }] of targeted.entries()) {
    const target = byType.get(declared.type)!;
    const fields = bindFields(declared, target, given.tables, `e${index}`);
    byType.set(target.type, merged(target, declared, fields, log));
  }
  await assertSideTables(
    given.db,
    targeted.filter(({ declared }) => declared.extension.table),
  );
  return resources.map(({ type }) => byType.get(type)!);
}

function assertNotRequired(declared: DeclaredExtension, target: Resource): void {
  for (const [name, field] of Object.entries(declared.extension.fields ?? {}))
    if (isKept(field) && field.required)
      throw extensionFault(
        declared,
        `makes its field ${name} required`,
        `give it a default: clients that do not know the plugin make ${target.path.replaceAll('_', ' ')} too`,
      );
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
    throw extensionFault(
      declared,
      'adds stored fields',
      'name the side table that holds them: `table`, made by a migration',
    );
  const columns = table === undefined ? undefined : tables.get(table);
  if (table !== undefined && !columns)
    throw extensionFault(declared, `has no table ${table}`, 'make it in a migration of the plugin');
  if (table !== undefined && target.identity)
    throw extensionFault(declared, 'adds stored fields to rows that have no id column', 'add computed fields only');
  if (target.identity && Object.values(fields).some(({ read }) => read))
    throw extensionFault(declared, 'gives fields `read` on rows that have no id column', 'leave `read` out');
  const side = { plugin, table: table ?? '', key, alias };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isKept(field) ? sideField(declared, side, columns!, name, field) : field,
    ]),
  );
}

function sideField(
  declared: DeclaredExtension,
  side: SideTable,
  columns: Table,
  name: string,
  field: Field,
): SideField {
  const column = field.column ?? (field.type === 'ref' ? `${name}_id` : name);
  const dataType = columns.get(column);
  if (dataType === undefined)
    throw extensionFault(
      declared,
      `has no column ${column} in ${side.table} for its field ${name}`,
      'add it in a migration',
    );
  if (field.secret && dataType !== 'text')
    throw extensionFault(
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
  const { related, summaries, sublists = {}, actions = {}, listActions = {}, parameters = {}, formats } = extension;
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
  const withSummaries = summaries
    ? safeSummaries(target.summaries, summaries, own, failed('summaries'))
    : target.summaries;
  const capabilities = actionRights(target, actions);
  return {
    ...target,
    fields: { ...target.fields, ...safeFields(fields, failed('fields')) },
    sublists: { ...target.sublists, ...sublists },
    actions: { ...target.actions, ...actions },
    listActions: { ...target.listActions, ...listActions },
    parameters: { ...target.parameters, ...parameters },
    ...(formats && { formats: { ...target.formats, ...formats } }),
    ...(related && { related: safeLinks(target.related, related, own, failed('links')) }),
    summaries: capabilities ? safeSummaries(withSummaries, capabilities, own, failed('rights')) : withSummaries,
  };
}
