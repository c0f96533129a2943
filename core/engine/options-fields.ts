import type { ApiType, Field, View } from '@tapline/plugin-sdk';
import { variantTypes } from './links.ts';
import type { Models } from './links.ts';
import type { Model, ModelField } from './model.ts';
import { isWritable, type WriteMode } from './schema.ts';

/** What OPTIONS says of one field; clients build their arguments and forms from it. */
export type FieldEntry = Record<string, unknown> & { type: ApiType; label: string };

const types: Record<Field['type'], ApiType> = {
  string: 'string',
  text: 'string',
  jsonText: 'json',
  choice: 'choice',
  integer: 'integer',
  number: 'float',
  decimal: 'decimal',
  boolean: 'boolean',
  datetime: 'datetime',
  json: 'json',
  list: 'json',
  ref: 'id',
  computed: 'field',
};

export const apiTypeOf = (field: Field): ApiType => field.apiType ?? types[field.type];

/** `ask_limit_on_launch` → `Ask limit on launch` */
export const labelOf = (name: string, { label }: Partial<Field> = {}) =>
  label ?? (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');

export const isFilterable = ({ field, sql }: ModelField) =>
  field.filterable !== false && !field.secret && sql !== undefined;

/** What is said of a field wherever it stands. */
export function describeField(name: string, field: Field): FieldEntry {
  const entry: FieldEntry = { type: apiTypeOf(field), label: labelOf(name, field), help_text: field.help ?? '' };
  const { min, max } = bounds(field);
  if (min !== undefined) entry.min_value = min;
  if (max !== undefined) entry.max_value = max;
  if (field.choices) entry.choices = field.choices;
  return entry;
}

const bounds = ({ type, min, max }: Field) =>
  type === 'integer' || type === 'number' || type === 'decimal' ? { min, max } : {};

/** One entry of POST or PUT. */
export function writableEntry(name: string, field: Field): FieldEntry {
  const entry: FieldEntry = { ...describeField(name, field), required: field.required === true };
  if (field.default !== undefined) entry.default = field.default;
  if (field.type === 'string' || field.type === 'text') {
    if (field.min !== undefined) entry.min_length = field.min;
    if (field.max !== undefined) entry.max_length = field.max;
  }
  if (field.mode === 'wo') entry.write_only = true;
  return entry;
}

/** The fields that a body may set. */
export const writableEntries = (model: Model, mode: WriteMode): Record<string, FieldEntry> =>
  Object.fromEntries(
    [...model.fields.values()]
      .filter((bound) => isWritable(bound, mode))
      .map(({ name, field }) => [name, writableEntry(name, field)]),
  );

/** Secrets that are shown in another form than they are stored (`$encrypted$`), as a `present` does. */
export const masked = (model: Model): ModelField[] =>
  [...model.fields.values()].filter(({ field }) => field.secret && field.mode !== 'wo' && model.resource.present);

/** The fields that an answer holds. */
export function shownEntries(models: Models, model: Model, view: View): Record<string, FieldEntry> {
  const choices = typeChoices(models, model);
  const entries: Record<string, FieldEntry> = {
    id: { type: 'integer', label: 'ID', help_text: 'The number that stands for it in addresses.', filterable: true },
    type: { type: 'choice', label: 'Type', help_text: 'What kind of record it is.', filterable: true, choices },
    url: { type: 'string', label: 'Url', help_text: 'Its address.', filterable: false },
    related: { type: 'object', label: 'Related', help_text: 'Addresses of what belongs to it.', filterable: false },
    summary_fields: {
      type: 'object',
      label: 'Summary fields',
      help_text: 'The most important of the records that it is linked to.',
      filterable: false,
    },
  };
  for (const bound of [...model.shown[view], ...masked(model)])
    entries[bound.name] = { ...describeField(bound.name, bound.field), filterable: isFilterable(bound) };
  return entries;
}

/** `[type, label]` of the type, or of all that a mixed list holds. */
export function typeChoices(models: Models, model: Model): [string, string][] {
  const variants = variantTypes(models, model);
  const all = variants ? [...variants.types.values()] : [model];
  return all.map(({ type, resource }) => [type, resource.label]);
}
