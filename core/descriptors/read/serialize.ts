import type { Call, Row, Shown, View } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../../observe/log.ts';
import { createHiding } from './field-rights.ts';
import { knownSublists, type Models, variantTypes } from '../links.ts';
import type { Model, ModelField } from '../model.ts';
import { joinName, namingSeparators } from '../naming.ts';
import { nameKey, summaryPrefix } from './sql.ts';

export interface Serializer {
  /** the API form of rows that `Reads.rows` fetched for the same view */
  rows: (db: Knex, rows: Row[], call: Call, view: View) => Promise<Shown[]>;
}

type Getter = (row: Row, call: Call) => unknown;

export function compileSerializer(model: Model, models: Models, log: Pick<Log, 'error'>): Serializer {
  const { resource } = model;
  const getters: Record<View, [string, Getter][]> = {
    list: model.shown.list.map((field) => [field.name, getter(field)]),
    detail: model.shown.detail.map((field) => [field.name, getter(field)]),
  };
  const refs = model.refs.map((ref) => bindRef(ref, models));
  const below = subLinks(model, models);
  const hide = createHiding(model, log);
  const separators = namingSeparators(models, model);

  const one = (row: Row, call: Call, view: View, extra: Record<string, unknown> | undefined) => {
    const url = model.url(row.id);
    const related: Record<string, unknown> = {};
    const summary: Record<string, unknown> = {};
    for (const ref of refs) ref(row, related, summary);
    if (row[nameKey])
      related.named_url = `/api/v2/${resource.path}/${joinName(row[nameKey] as (string | number | null)[], separators)}/`;
    for (const name of below) related[name] = `${url}${name}/`;
    for (const [name, link] of Object.entries(resource.related?.(row) ?? {})) {
      if (link === null) delete related[name];
      else related[name] = link;
    }
    const representation: Shown = {
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
      const [extra, hidden] = await Promise.all([
        rows.length ? resource.summaries?.(db, rows, call, view) : undefined,
        hide(db, call.actor, rows),
      ]);
      return rows.map((row) => without(hidden(row.id), one(row, call, view, extra?.get(row.id))));
    },
  };
}

function without(names: readonly string[], shown: Shown): Shown {
  for (const name of names) for (const part of [shown, shown.related, shown.summary_fields]) delete part[name];
  return shown;
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

/** By `summarySql`. */
interface RefSummary {
  id?: number;
  '@kind'?: string;
}

/** Fills the link and the summary of one ref; both only where it is set and its target still there. */
function bindRef(ref: ModelField, models: Models) {
  const target = models.get(ref.field.target!);
  const summaryKey = summaryPrefix + ref.name;
  const variants = target && variantTypes(models, target);
  return (row: Row, related: Record<string, unknown>, summary: Record<string, unknown>) => {
    const value = row[summaryKey] as RefSummary | null | undefined;
    if (!value || !target) return;
    const { '@kind': kind, ...shown } = value;
    const id = value.id ?? Number(row[ref.column ?? ref.name]);
    summary[ref.name] = variants ? shown : value;
    const owner = variants ? variants.types.get(kind ?? '') : target;
    if (owner && owner.resource.methods?.detail?.length !== 0) related[ref.name] = owner.url(id);
  };
}
