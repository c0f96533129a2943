import type { Field } from '../field.ts';
import type { Resource } from '../resource.ts';
import { defaultProblem } from './field-default.ts';

/** Fields that a resource has, or may have by the columns of its table, without declaring them. */
const common = new Set(['id', 'pk', 'type', 'created', 'modified', 'created_by', 'modified_by']);

/** What is wrong with a resource as far as its declaration tells: what it names and offers, and the defaults of its fields. */
export function resourceProblems(resource: Resource): string[] {
  const { fields, orderBy, search = [], naming = [] } = resource;
  const unknown = (part: string, names: readonly string[]) =>
    names
      .filter((name) => !Object.hasOwn(fields, name) && !common.has(name))
      .map((name) => `${part} names ${name}, which is no field (there are: ${Object.keys(fields).join(', ')})`);
  return [
    ...fieldProblems(fields),
    ...methodProblems(resource),
    ...orderBy.flatMap((key) => orderProblem(resource, key.replace(/^-/, ''))),
    ...unknown('search', search),
    ...search.flatMap((name) => searchProblem(name, fields[name])),
    ...unknown('naming', naming),
  ];
}

/** Of the fields of a resource or an extension. */
export const fieldProblems = (fields: Record<string, Field> = {}): string[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const problem = defaultProblem(field);
    return problem === undefined ? [] : [`fields.${name}: ${problem}`];
  });

const ruleFor = { GET: 'see', POST: 'create', PUT: 'change', PATCH: 'change', DELETE: 'delete' } as const;

const methodProblems = ({ methods = {}, access }: Resource): string[] =>
  [...(methods.list ?? []), ...(methods.detail ?? [])]
    .filter((method) => !access[ruleFor[method]])
    .map((method) => `methods offers ${method}, but access.${ruleFor[method]} is not stated`);

/** Only the first step of a path is the resource's own; where it leads on is known with the other types. */
function orderProblem({ fields, spans = {}, sublists = {} }: Resource, key: string): string[] {
  const [first = '', ...rest] = key.split('__');
  const field = fields[first] ?? (first.endsWith('_id') ? fields[first.slice(0, -3)] : undefined);
  if (rest.length && (first in spans || first in sublists))
    return [`orderBy names ${key}, of which a row may have several: order by a field of the row`];
  if (!field)
    return common.has(first)
      ? []
      : [`orderBy names ${first}, which is no field (there are: ${Object.keys(fields).join(', ')})`];
  if (field.secret || field.filterable === false)
    return [
      `orderBy names ${key}, which is ${field.secret ? 'a secret' : 'not filterable, and so not ordered by either'}`,
    ];
  return [];
}

const searchProblem = (name: string, field: Field | undefined): string[] =>
  field?.secret ? [`search names ${name}, which is a secret`] : [];
