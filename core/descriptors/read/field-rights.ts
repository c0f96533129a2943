import type { Actor, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../../observe/log.ts';
import { blamedFor } from '../../observe/section.ts';
import { rightsOn } from '../../rbac/descriptor.ts';
import { holdsEverywhere } from '../../rbac/everywhere.ts';
import type { Model, ModelField } from '../model.ts';

type Hidden = (id: number) => readonly string[];
const nothing: Hidden = () => [];

/**
 * Tells which fields of each row the actor may not read, with one statement for a page at most. Where a rule breaks, its
 * answer is not known: the fields are left out of all rows then, and the rest is answered.
 */
export function createHiding(model: Model, log: Pick<Log, 'error'>) {
  const rules: Record<string, Rule> = Object.fromEntries(
    guardedFields(model).map(({ name, field }) => [name, field.read!]),
  );
  const names = Object.keys(rules);
  return async (db: Knex, actor: Actor | null, rows: { id: number }[]): Promise<Hidden> => {
    if (!names.length || !rows.length) return nothing;
    try {
      // rights to do something are none of a caller that only reads
      const reader = actor && { ...actor, read_only: false };
      const rights = await rightsOn(db, reader, model.table, rules, rows);
      return (id) => names.filter((name) => !rights.get(id)?.[name]);
    } catch (err) {
      log.error({ err, ...blamedFor(err), type: model.type }, `the right to read ${names.join(', ')} is not known`);
      return () => names;
    }
  };
}

export const guardedFields = ({ fields }: Pick<Model, 'fields'>): ModelField[] =>
  [...fields.values()].filter(({ field }) => field.read !== undefined);

/** Whether a query may ask for the field: what cannot be read on every row must not be found out by filters and orders. */
export const mayAskFor = (db: Knex, { field }: ModelField, actor: Actor | null): boolean =>
  field.read === undefined || holdsEverywhere(db, field.read, actor);

/** What would tell the values of such a field to everybody, for the start. */
export function guardProblem(model: Model): string | undefined {
  const { orderBy, naming = [], summary = [], search = [], identity } = model.resource;
  const told = { orderBy, naming, summary, search };
  for (const { name } of guardedFields(model)) {
    if (identity) return `its field ${name} has \`read\`, but its rows have no id column to look it up by`;
    const where = Object.entries(told).find(([, names]) => names.some((key) => key.replace(/^-/, '') === name));
    if (where) return `${where[0]} names ${name}, which not everybody may read`;
  }
  return undefined;
}
