import type { Resource, Span, Sublist } from '@tapline/plugin-sdk';
import type { Tables } from '../db/tables.ts';
import type { Models } from './links.ts';
import type { Model } from './model.ts';
import { namingColumns } from './naming.ts';
import { type Asking, resolvePath } from './read/filter-path.ts';

/** What a resource names that neither its table nor the types around it have; requests would be the first to notice. */
export function nameProblems(asking: Asking, tables: Tables, model: Model): string[] {
  const { models } = asking;
  const { orderBy, search = [], summary = [], spans = {}, sublists = {} } = model.resource;
  return [
    ...orderBy.flatMap((key) => orderProblem(asking, model, key.replace(/^-/, ''))),
    ...search
      .filter((name) => model.fields.get(name)?.sql === undefined)
      .map((name) => `search names ${name}, which has no value in SQL to look into`),
    ...summary
      .filter((key) => !hasSql(model, key))
      .map((key) => `summary names ${key}, which is neither a field with SQL, nor in extraSql, nor a column`),
    ...thrownBy(() => namingColumns(models, model, 't')),
    ...relationProblems(models, tables, model, { ...spans, ...sublists }),
  ];
}

const hasSql = ({ fields, resource, columns }: Model, key: string) =>
  fields.get(key)?.sql !== undefined || resource.extraSql?.[key] !== undefined || columns.has(key);

function orderProblem(asking: Asking, model: Model, key: string): string[] {
  if (key === 'type') return [];
  return thrownBy(() => {
    const { steps, field } = resolvePath(asking, model, key.split('__'), key);
    if (!field || steps.some(({ many }) => many)) throw new Error(`${key} does not name one value per row`);
  }).map((problem) => `orderBy: ${problem}`);
}

/** Tables and columns by which lists and spans find their rows; what leads to a type that nobody declares is not served. */
export function relationProblems(
  models: Models,
  tables: Tables,
  parent: Model,
  relations: NonNullable<Resource['sublists']> | Record<string, Span>,
): string[] {
  return Object.entries(relations).flatMap(([name, relation]: [string, Span & Partial<Sublist>]) => {
    const { column, through, inherit = [] } = relation;
    const child = models.get(relation.resource);
    if (!child) return [];
    const missing = (table: string, columns: readonly string[]) =>
      columns
        .filter((one) => !tables.get(table)?.has(one))
        .map((one) => `${name} needs the column ${one} in ${table}, which is not there`);
    return [
      ...missing(child.table, [...(column === undefined ? [] : [column]), ...inherit]),
      ...missing(parent.table, inherit),
      ...(through ? missing(through.table, [through.parent, through.child]) : []),
    ];
  });
}

function thrownBy(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
