import { type Actor, ApiError, type Span } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { mayAskFor } from './field-rights.ts';
import { badFilter } from './filter-key.ts';
import { type Models, variantTypes } from '../links.ts';
import { type Model, type ModelField, quote } from '../model.ts';

/** One hop from a row to the rows of another type. */
export interface Step {
  name: string;
  target: Model;
  /** more than one row may be reached */
  many: boolean;
  /** ties the target's row under `to` to the row under `from` */
  condition: (from: string, to: string) => string;
  /** the table between, joined as `<to>_b` */
  through?: { table: string; child: string };
}

export interface Path {
  steps: Step[];
  model: Model;
  /** absent: the path ends at a relation itself */
  field?: ModelField;
}

/** Who asks, and of what. */
export interface Asking {
  db: Knex;
  models: Models;
  actor: Actor | null;
}

/** Follows names over refs, spans and sublists. Throws 400 for an unknown name, 403 for one that the caller may not read. */
export function resolvePath(asking: Asking, start: Model, names: readonly string[], key: string): Path {
  const { models } = asking;
  const steps: Step[] = [];
  let model = start;
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    if (names.indexOf(name) !== index && !last)
      throw badFilter(`Loops are not allowed in filters: ${name} is met twice in ${key}.`);
    const relation = relationStep(models, model, name);
    const named = fieldNamed(model, name);
    // a number of related rows and the relation itself may bear the same name
    const field = named && relation && !last && isClosed(named) && !named.field.secret ? undefined : named;
    if (field) {
      checkFilterable(asking, model, field, name);
      if (last) return { steps, model, field };
    }
    const step = field ? refStep(models, field) : relation;
    if (!step && field) throw badFilter(`${model.resource.label}: ${name} is no link, so ${key} leads nowhere.`);
    if (!step) throw badFilter(`${model.resource.label} has no field named '${name}'.`);
    steps.push(step);
    model = step.target;
  }
  return { steps, model };
}

function fieldNamed(model: Model, name: string): ModelField | undefined {
  if (name === 'pk') return model.fields.get('id');
  const field = model.fields.get(name) ?? (name.endsWith('_id') ? model.fields.get(name.slice(0, -3)) : undefined);
  return field && (name === field.name || field.kind === 'ref') ? field : undefined;
}

const isClosed = ({ field, sql }: ModelField) => field.filterable === false || !sql;

function checkFilterable({ db, actor }: Asking, model: Model, bound: ModelField, name: string): void {
  if (bound.field.secret || !mayAskFor(db, bound, actor))
    throw new ApiError(403, `Filtering on ${name} is not allowed.`);
  if (isClosed(bound)) throw badFilter(`${model.resource.label} cannot be filtered by '${name}'.`);
}

/** Makes `builder` select the rows under `to` that the step reaches from the row under `from`. */
export function followStep(
  { target, through, condition }: Step,
  builder: Knex.QueryBuilder,
  from: string,
  to: string,
): void {
  builder.from(`${target.table} as ${to}`);
  if (through) builder.join(`${through.table} as ${to}_b`, `${to}_b.${through.child}`, `${to}.id`);
  builder.whereRaw(condition(from, to));
}

function refStep(models: Models, ref: ModelField): Step | undefined {
  const target = ref.kind === 'ref' ? models.get(ref.field.target!) : undefined;
  if (!target || !ref.sql) return undefined;
  const { sql } = ref;
  return { name: ref.name, target, many: false, condition: (from, to) => `${target.id(to)} = ${sql(from)}` };
}

function relationStep(models: Models, model: Model, name: string): Step | undefined {
  const span: Span | undefined = model.resource.spans?.[name] ?? model.resource.sublists?.[name];
  const target = span && models.get(span.resource);
  if (!span || !target) return variantStep(models, model, name);
  const { column, through } = span;
  if (column)
    return {
      name,
      target,
      many: true,
      condition: (from, to) => `${typeSql(target, to)}${quote(to)}.${quote(column)} = ${model.id(from)}`,
    };
  if (!through) return undefined;
  const { table, child, parent } = through;
  const between = 'where' in through ? (through.where as Record<string, string>) : {};
  return {
    name,
    target,
    many: true,
    through: { table, child },
    condition: (from, to) =>
      `${conditions(between, `${to}_b`)}${quote(`${to}_b`)}.${quote(parent)} = ${model.id(from)}`,
  };
}

/** A mixed list reaches the fields of one of its types: `job__inventory`, `workflowjob__inventory`. */
function variantStep(models: Models, model: Model, name: string): Step | undefined {
  const variants = variantTypes(models, model);
  const target = [...(variants?.types.values() ?? [])].find(
    ({ type }) => type === name || type.replaceAll('_', '') === name,
  );
  if (!target) return undefined;
  return {
    name,
    target,
    many: false,
    condition: (from, to) => `${typeSql(target, to)}${target.id(to)} = ${model.id(from)}`,
  };
}

/**
 * A relation to a type that nobody serves here: no row is related. Clients name every kind of run in one query, also
 * those that a service lacks.
 */
export function leadsNowhere(models: Models, { resource }: Model, name: string): boolean {
  const span = resource.spans?.[name];
  if (span) return !models.has(span.resource);
  const variant = resource.variants?.find((type) => type === name || type.replaceAll('_', '') === name);
  return variant !== undefined && !models.has(variant);
}

const typeSql = ({ resource }: Model, alias: string) => conditions(resource.where ?? {}, alias);

const conditions = (where: Record<string, string>, alias: string) =>
  Object.entries(where)
    .map(([column, value]) => `${quote(alias)}.${quote(column)} = '${value}' and `)
    .join('');
