import type { Knex } from 'knex';
import type { Cell } from '../../secrets/key-ring.ts';
import type { Compiled, Catalog } from '../compile.ts';
import type { Model } from '../model.ts';
import { masked } from '../../secrets/masked.ts';

type Columns = Record<string, unknown>;

/** What is stored for a secret; an empty one stays empty, so that everybody sees that there is none. */
export function seal(catalog: Pick<Catalog, 'keyRing'>, value: unknown, cell: Cell): unknown {
  if (value === '' || value === null || value === undefined) return value;
  if (!catalog.keyRing)
    throw new Error(`the secret ${cell.table}.${cell.column} needs the key ring of compileResources`);
  return catalog.keyRing.encrypt(String(value), cell);
}

const secretsAmong = ({ fields }: Model, columns: Columns): string[] =>
  [...fields.values()].flatMap(({ sealed, column = '' }) => (sealed && column in columns ? [column] : []));

/** For a row that has no id yet, to which a secret could be bound: the columns without their secrets, and those. */
export function withoutSecrets(model: Model, columns: Columns): { columns: Columns; secrets: Columns } {
  const names = secretsAmong(model, columns);
  const given = names.filter((name) => columns[name] && columns[name] !== masked);
  return {
    columns: { ...columns, ...Object.fromEntries(names.map((name) => [name, ''])) },
    secrets: Object.fromEntries(given.map((name) => [name, columns[name]])),
  };
}

/** Resolves to the columns as they are stored. */
export async function storeSecrets(
  catalog: Catalog,
  model: Compiled,
  trx: Knex,
  id: number,
  secrets: Columns,
): Promise<Columns> {
  if (!Object.keys(secrets).length) return {};
  const sealed = sealColumns(catalog, model, secrets, id);
  await trx(model.table).where({ id }).update(sealed);
  return sealed;
}

/** The columns of a change; a secret that is sent back as it was read stays as it is. */
export function sealColumns(catalog: Catalog, model: Model, columns: Columns, id: number): Columns {
  const secrets = new Set(secretsAmong(model, columns));
  return Object.fromEntries(
    Object.entries(columns)
      .filter(([name, value]) => !(secrets.has(name) && value === masked))
      .map(([name, value]) => [
        name,
        secrets.has(name) ? seal(catalog, value, { table: model.table, column: name, id }) : value,
      ]),
  );
}
