import type { Call, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { knownSublists, type Models, variantTypes } from './links.ts';
import type { Model, ModelField } from './model.ts';
import { joinName } from './naming.ts';
import { nameKey, summaryPrefix } from './sql.ts';

export interface Serializer {
  /** the API form of rows that `Reads.rows` fetched for the same view */
  rows: (db: Knex, rows: any[], call: Call, view: View) => Promise<Record<string, any>[]>;
}

type Getter = (row: any, call: Call) => unknown;

export function compileSerializer(model: Model, models: Models): Serializer {
  const { resource } = model;
  const getters: Record<View, [string, Getter][]> = {
    list: model.shown.list.map((field) => [field.name, getter(field)]),
    detail: model.shown.detail.map((field) => [field.name, getter(field)]),
  };
  const refs = model.refs.map((ref) => bindRef(ref, models));
  const below = subLinks(model, models);

  const one = (row: any, call: Call, view: View, extra: Record<string, unknown> | undefined) => {
    const url = model.url(row.id);
    const related: Record<string, any> = {};
    const summary: Record<string, any> = {};
    for (const ref of refs) ref(row, related, summary);
    if (row[nameKey]) related.named_url = `/api/v2/${resource.path}/${joinName(row[nameKey])}/`;
    for (const name of below) related[name] = `${url}${name}/`;
    for (const [name, link] of Object.entries(resource.related?.(row) ?? {})) {
      if (link === null) delete related[name];
      else related[name] = link;
    }
    const representation: Record<string, any> = {
      id: row.id,
      type: model.type,
      url,
      related,
      summary_fields: Object.assign(summary, extra),
    };
    for (const [name, get] of getters[view]) representation[name] = get(row, call);
    resource.present?.(representation, row, view, call);
    return representation;
  };

  return {
    async rows(db, rows, call, view) {
      const extra = rows.length ? await resource.summaries?.(db, rows, call) : undefined;
      return rows.map((row) => one(row, call, view, extra?.get(row.id)));
    },
  };
}

function getter({ name, field, column }: ModelField): Getter {
  const key = column ?? name;
  if (field.compute) return field.compute;
  if (field.type === 'number') return (row) => (row[key] === null || row[key] === undefined ? null : Number(row[key]));
  if (field.type === 'decimal') return (row) => (row[key] === null || row[key] === undefined ? null : String(row[key]));
  // a text shown is never null
  if (!field.nullable && ['string', 'text', 'jsonText'].includes(field.type)) return (row) => row[key] ?? '';
  return (row) => row[key] ?? null;
}

function subLinks({ resource }: Model, models: Models): string[] {
  const actions = Object.entries(resource.actions ?? {})
    .filter(([, action]) => action.related !== false)
    .map(([name]) => name);
  return [...knownSublists(models, resource).map(([name]) => name), ...actions].filter((name) => !name.includes('/'));
}

/** Fills the link and the summary of one ref; both only where it is set and its target still there. */
function bindRef(ref: ModelField, models: Models) {
  const target = models.get(ref.field.target!);
  const summaryKey = summaryPrefix + ref.name;
  const variants = target && variantTypes(models, target);
  return (row: any, related: Record<string, any>, summary: Record<string, any>) => {
    const value = row[summaryKey];
    if (!value || !target) return;
    const { '@kind': kind, ...shown } = value;
    const id = value.id ?? row[ref.column ?? ref.name];
    summary[ref.name] = variants ? shown : value;
    const owner = variants ? variants.types.get(kind) : target;
    if (owner && owner.resource.methods?.detail?.length !== 0) related[ref.name] = owner.url(id);
  };
}
