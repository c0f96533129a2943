import type { ApiType, Field, ListFormat, Rule, View } from '@tapline/plugin-sdk';
import { variantTypes } from '../links.ts';
import type { Models } from '../links.ts';
import type { Model, ModelField } from '../model.ts';
import { mayAskFor } from '../read/field-rights.ts';
import type { Asking } from '../read/filter-path.ts';
import { writeRule } from '../write/field-rights.ts';
import { isRequired, isWritable, type WriteMode } from '../write/schema.ts';

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

/** Whether the caller may narrow lists by it. */
const filtersBy = ({ db, actor }: Asking, { resource }: Model, bound: ModelField): boolean =>
  (isFilterable(bound) && mayAskFor(db, bound, actor)) || Object.hasOwn(resource.parameters ?? {}, bound.name);

/** What is said of a field wherever it stands. */
export function describeField(name: string, field: Field): FieldEntry {
  const entry: FieldEntry = { type: apiTypeOf(field), label: labelOf(name, field), help_text: field.help ?? '' };
  const { min, max } = bounds(field);
  if (min !== undefined) entry.min_value = min;
  if (max !== undefined) entry.max_value = max;
  if (isSecretText(field)) entry.secret = true;
  const choices = field.choices ?? field.offers?.().map((value) => [value, value]);
  if (choices) entry.choices = choices;
  return { ...entry, ...field.described?.() };
}

/** Clients hide what is typed there, and take `$encrypted$` for a value that is stored; of an object only parts are secret. */
const isSecretText = ({ secret, type }: Field): boolean => secret === true && type !== 'json';

const bounds = ({ type, min, max }: Field) =>
  type === 'integer' || type === 'number' || type === 'decimal' ? { min, max } : {};

/** One entry of POST or PUT. */
export function writableEntry(name: string, field: Field): FieldEntry {
  const entry: FieldEntry = { ...describeField(name, field), required: field.required === true, filterable: false };
  if (field.default !== undefined) entry.default = field.default;
  if (field.type === 'string' || field.type === 'text') {
    if (field.min !== undefined) entry.min_length = field.min;
    if (field.max !== undefined) entry.max_length = field.max;
  }
  if (field.mode === 'wo') entry.write_only = true;
  return entry;
}

/** The fields that a body may set, as far as the caller passes the rules that single ones have. */
export async function writableEntries(
  asking: Asking,
  model: Model,
  mode: WriteMode,
  may: (rule: Rule) => Promise<boolean> | boolean,
): Promise<Record<string, FieldEntry>> {
  const entries: Record<string, FieldEntry> = {};
  for (const bound of model.fields.values()) {
    const rule = writeRule(bound);
    if (isWritable(bound, mode) && !bound.field.unoffered && (!rule || (await may(rule))))
      entries[bound.name] = {
        ...writableEntry(bound.name, bound.field),
        required: isRequired(bound.field, mode),
        filterable: filtersBy(asking, model, bound),
      };
  }
  return entries;
}

/** Secrets that are shown in another form than they are stored (`$encrypted$`), as a `present` does. */
export const masked = (model: Model): ModelField[] =>
  [...model.fields.values()].filter(({ field }) => field.secret && field.mode !== 'wo' && model.resource.present);

/**
 * The command line client makes an option of whatever OPTIONS calls filterable, and stumbles over `--action`, since it keeps its own
 * action under that name: lists are narrowed by such a field all the same.
 */
const wordOfClient = 'action';

/** The fields that an answer holds. */
export function shownEntries(asking: Asking, model: Model, view: View): Record<string, FieldEntry> {
  const choices = typeChoices(asking.models, model);
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
    entries[bound.name] = {
      ...describeField(bound.name, bound.field),
      ...(bound.field.default !== undefined && { default: bound.field.default }),
      filterable: bound.name !== wordOfClient && filtersBy(asking, model, bound),
    };
  return entries;
}

/** What lists can be narrowed by besides their filters. */
export function parameterEntries({
  resource: { parameters = {}, expression },
}: Model): Record<string, Record<string, unknown>> {
  const entries = Object.entries(parameters).map(([name, { type, help, label, choices, min, max }]) => [
    name,
    {
      type,
      label: labelOf(name, { label }),
      help_text: help,
      ...(choices && { choices: choices.map((value) => [value, value]) }),
      ...(min !== undefined && { min_value: min }),
      ...(max !== undefined && { max_value: max }),
    },
  ]);
  const { parameter: name, help } = expression ?? {};
  return {
    ...Object.fromEntries(entries),
    ...(name !== undefined && { [name]: { type: 'string', label: labelOf(name), help_text: help } }),
  };
}

/** The parameter that chooses a format, where a list has more than one. */
export function formatEntry(
  formats: Readonly<Record<string, ListFormat>> = {},
): Record<string, Record<string, unknown>> {
  const choices = Object.entries(formats).map(([name, { help, media }]) => [name, help ?? media]);
  if (!choices.length) return {};
  const helpText = 'What the list is written as, all of it where it is not JSON.';
  return {
    format: { type: 'choice', label: 'Format', help_text: helpText, choices: [['json', 'Pages of JSON.'], ...choices] },
  };
}

/** `[type, label]` of the type, or of all that a mixed list holds. */
export function typeChoices(models: Models, model: Model): [string, string][] {
  const variants = variantTypes(models, model);
  const all = variants ? [...variants.types.values()] : [model];
  return all.map(({ type, resource }) => [type, resource.label]);
}
