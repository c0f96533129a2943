import { relationOf } from '../resources/relations.ts';
import type { FieldOption, Resource, Row } from '../resources/resource.ts';

/** A form's values: texts, truth values; objects only in fields that look after themselves. */
export type Values = Record<string, any>;
export type Fields = Record<string, FieldOption>;

/** JSON that is stored as such; other JSON fields hold text, which may be YAML. */
const objects = new Set(['inputs', 'injectors', 'policy_instance_list']);
export const isObject = (name: string, current: unknown) =>
  objects.has(name) || (typeof current === 'object' && current !== null);

const isRelation = (name: string, resource: Resource): boolean => relationOf(name, resource.relations) !== undefined;

function formValue(name: string, option: FieldOption, value: unknown, resource: Resource): any {
  if (resource.custom?.[name]) return value ?? ({ string: '', list: [] } as Record<string, unknown>)[option.type] ?? {};
  if (option.type === 'boolean') return Boolean(value);
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value, null, 2);
  return String(value);
}

/** What a form begins with: the record, or what the address and OPTIONS suggest. */
export function initialValues(
  fields: Fields,
  resource: Resource,
  row: Row | null,
  suggested: URLSearchParams = new URLSearchParams(),
): Values {
  return Object.fromEntries(
    Object.entries(fields).map(([name, option]) => {
      const given = row ? row[name] : (suggested.get(name) ?? option.default);
      return [name, formValue(name, option, given, resource)];
    }),
  );
}

/** As the API wants it; undefined leaves the field out. */
function sentValue(name: string, option: FieldOption, value: any, current: unknown, resource: Resource): unknown {
  if (resource.custom?.[name]) return value;
  if (option.type === 'boolean') return Boolean(value);
  // nothing, where that is another thing than an empty text
  if (value === '' && option.default === null) return null;
  if (isRelation(name, resource)) return value === '' ? null : Number(value);
  if (option.choices) return choiceOf(option, String(value));
  if (['integer', 'float', 'decimal'].includes(option.type)) {
    if (value === '') return current === undefined ? undefined : null;
    // what is no number is sent as it is: the service says so at its field
    return Number.isNaN(Number(value)) ? value : Number(value);
  }
  if (option.type === 'json' || option.type === 'list' || option.type === 'object')
    return isObject(name, current) ? parsed(value) : value;
  return value;
}

const choiceOf = ({ choices = [] }: FieldOption, value: string) =>
  choices.find(([choice]) => String(choice) === value)?.[0] ?? value;

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Only what was changed, so that two people who change different fields do not undo each other. */
export function sentBody(fields: Fields, resource: Resource, values: Values, start: Values, row: Row | null) {
  const body: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(fields)) {
    const untouched = same(values[name], start[name]);
    const unset = option.type === 'boolean' && option.default === null && untouched;
    const given = row === null && !unset && (option.required || (values[name] !== '' && !resource.custom?.[name]));
    if (untouched && !given && !(row === null && resource.custom?.[name])) continue;
    const sent = sentValue(name, option, values[name], row?.[name], resource);
    if (sent !== undefined && !(row === null && sent === null && !option.required)) body[name] = sent;
  }
  return body;
}

interface Arranged {
  first: string[];
  more: string[];
}

/** Fields in the order of the resource; what it does not name is folded away, unless it is required. */
export function arranged(fields: Fields, { fields: order = [], hidden = [] }: Resource): Arranged {
  const names = Object.keys(fields).filter((name) => !hidden.includes(name));
  const first = [
    ...order.filter((name) => names.includes(name)),
    ...names.filter((name) => !order.includes(name) && fields[name]!.required),
  ];
  return { first, more: names.filter((name) => !first.includes(name)) };
}
