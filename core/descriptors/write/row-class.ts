import type { Row as Stored } from '@tapline/plugin-sdk';
import type { Model, ModelClass } from 'objection';
import type { Table } from '../../db/tables.ts';

/** Resolves to the class through which rows of a table are written. */
export type RowClass = () => Promise<Rows>;

/** The class knows no columns; the rows that it reads and writes have them. */
type Rows = ModelClass<Model & Stored>;

/** The library comes with the first write: it is a seventh of what a start would have to load. */
export function rowClass(table: string, columns: Table): RowClass {
  const json = [...columns].filter(([, type]) => type.startsWith('json')).map(([name]) => name);
  const load = async (): Promise<Rows> => {
    const objection = await import('objection');
    return class Row extends objection.Model {
      static override tableName = table;
      static override get jsonAttributes() {
        return json;
      }
    } as ModelClass<Model> as Rows;
  };
  let loaded: Rows | undefined;
  return async () => (loaded ??= await load());
}
