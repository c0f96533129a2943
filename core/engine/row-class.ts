import type { Model, ModelClass } from 'objection';
import type { Table } from './tables.ts';

/** Resolves to the class through which rows of a table are written. */
export type RowClass = () => Promise<ModelClass<Model>>;

/** The library comes with the first write: it is a seventh of what a start would have to load. */
export function rowClass(table: string, columns: Table): RowClass {
  const json = [...columns].filter(([, type]) => type.startsWith('json')).map(([name]) => name);
  const load = async (): Promise<ModelClass<Model>> => {
    const objection = await import('objection');
    return class Row extends objection.Model {
      static override tableName = table;
      static override get jsonAttributes() {
        return json;
      }
    };
  };
  let loaded: ModelClass<Model> | undefined;
  return async () => (loaded ??= await load());
}
