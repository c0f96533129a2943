import type { ApiType, Field } from '@tapline/plugin-sdk';
import type { Catalog } from '../compile.ts';
import { mapOf, pageOf, type Schema } from './json-schema.ts';
import { variantTypes } from '../links.ts';
import type { Model, ModelField } from '../model.ts';
import { apiTypeOf, isFilterable, labelOf, masked } from './options-fields.ts';
import { isRequired, isWritable, type WriteMode } from '../write/schema.ts';

const schemas: Record<ApiType, Schema> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  decimal: { type: 'string', format: 'decimal' },
  boolean: { type: 'boolean' },
  datetime: { type: 'string', format: 'date-time' },
  choice: {},
  id: { type: 'integer', minimum: 1 },
  json: {},
  object: { type: 'object' },
  list: { type: 'array' },
  list_of_ids: { type: 'array', items: { type: 'integer' } },
  field: {},
};

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A value of the field; `nullable` where null may stand for it. */
function valueSchema(name: string, field: Field, nullable: boolean): Schema {
  const schema: Schema = { ...schemas[apiTypeOf(field)] };
  const jsonTypes: Partial<Record<Field['type'], string>> = { json: 'object', list: 'array', jsonText: 'string' };
  const own = jsonTypes[field.type];
  if (own && !field.apiType) schema.type = own;
  if (field.orList) schema.type = ['object', 'array'];
  // OPTIONS may call it decimal; the answer holds a number
  if (field.type === 'number') Object.assign(schema, { type: 'number', format: undefined });
  if (field.type === 'choice') schema.type = field.numeric ? 'integer' : 'string';
  if (field.choices) schema.enum = [...field.choices.map(([value]) => value), ...(nullable ? [null] : [])];
  if (nullable && typeof schema.type === 'string') schema.type = [schema.type, 'null'];
  schema.title = labelOf(name, field);
  if (field.help) schema.description = field.help;
  return schema;
}

/** Links, instants and what nobody can write may be empty; texts are never null. */
const mayBeNull = ({ field }: ModelField) =>
  field.nullable === true || ['ref', 'datetime', 'computed', 'decimal'].includes(field.type);

/** What an answer holds: of a detail, or of a list's entry. */
export function shownSchema(model: Model, view: 'list' | 'detail'): Schema {
  const properties: Record<string, Schema> = {
    id: { type: 'integer' },
    type: { type: 'string', const: model.type },
    url: { type: 'string' },
    related: {
      ...mapOf({ type: ['string', 'array'], items: { type: 'string' } }),
      description: 'Addresses of what belongs to it.',
    },
    summary_fields: { ...mapOf({}), description: 'The most important of what it is linked to.' },
  };
  for (const bound of [...model.shown[view], ...masked(model)]) {
    const { name, field } = bound;
    properties[name] = valueSchema(name, field, mayBeNull(bound));
    if (!isFilterable(bound)) properties[name]['x-filterable'] = false;
  }
  const always = model.shown[view].filter(({ field }) => !field.optional && !field.read).map(({ name }) => name);
  return { type: 'object', properties, required: ['id', 'type', 'url', 'related', 'summary_fields', ...always] };
}

/** What a body may hold. */
export function bodySchema(model: Model, mode: WriteMode): Schema {
  const fields = [...model.fields.values()].filter((bound) => isWritable(bound, mode));
  return objectSchema(Object.fromEntries(fields.map(({ name, field }) => [name, field])), mode);
}

export function objectSchema(fields: Record<string, Field>, mode: WriteMode = 'create'): Schema {
  const properties = Object.entries(fields).map(([name, field]) => [name, inputSchema(name, field)]);
  const required = Object.keys(fields).filter((name) => isRequired(fields[name]!, mode));
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length ? { required } : {}) };
}

function inputSchema(name: string, field: Field): Schema {
  const schema = valueSchema(name, field, field.nullable === true);
  if (field.default !== undefined) schema.default = field.default;
  const text = field.type === 'string' || field.type === 'text';
  const number = field.type === 'integer' || field.type === 'number';
  if (field.max !== undefined && text) schema.maxLength = field.max;
  if (field.min !== undefined && text) schema.minLength = field.min;
  if (field.max !== undefined && number) schema.maximum = field.max;
  if (field.min !== undefined && number) schema.minimum = field.min;
  if (field.mode === 'wo') schema.writeOnly = true;
  return schema;
}

/** A page of a type's list; a mixed one holds entries of its types. */
function pageSchema(catalog: Catalog, model: Model): Schema {
  const variants = variantTypes(catalog.models, model);
  const names = variants ? [...variants.types.values()].map(({ type }) => type) : [model.type];
  const items = names.map((name) => reference(`${name}_entry`));
  return { ...pageOf(items.length === 1 ? items[0]! : { anyOf: items }), required: ['results'] };
}

/** Every named schema of the document. */
export function componentSchemas(catalog: Catalog): Record<string, Schema> {
  const all: Record<string, Schema> = {};
  for (const model of catalog.models.values()) {
    all[model.type] = shownSchema(model, 'detail');
    all[`${model.type}_entry`] = shownSchema(model, 'list');
    all[`${model.type}_page`] = pageSchema(catalog, model);
    if (model.resource.access.create) all[`${model.type}_create`] = bodySchema(model, 'create');
    if (!model.resource.access.change) continue;
    all[`${model.type}_replace`] = bodySchema(model, 'replace');
    all[`${model.type}_patch`] = bodySchema(model, 'patch');
  }
  return all;
}
