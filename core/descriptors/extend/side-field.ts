import { masked } from '../../secrets/masked.ts';
import type { Field } from '@tapline/plugin-sdk';
import { defaultOf } from '../write/field-values.ts';
import type { ModelField } from '../model.ts';
import { quote } from '../../db/quote.ts';

/** A table of a plugin with further fields of a type: one row for each of its rows at most. */
export interface SideTable {
  plugin: string;
  /** `plugin_policy.organization_settings` */
  table: string;
  /** its column with the row's id */
  key: string;
  /** alias in the compiled reads, which join it */
  alias: string;
}

export interface SideColumn extends SideTable {
  column: string;
  dataType: string;
}

/** A field as the descriptor has it, with the place where it is stored. */
export interface SideField extends Field {
  side: SideColumn;
}

export const isSideField = (field: Field): field is SideField => 'side' in field;

/** A secret as it is shown: whether there is one. */
export const maskedSql = (value: string) => `case when coalesce(${value}, '') = '' then '' else '${masked}' end`;

/** Lays the side table beside the rows of a statement; the alias of its columns is its own. */
export const joinSide = ({ table, key, alias: at }: SideTable, alias: string) =>
  `left join ${quote(table)} ${quote(at)} on ${quote(at)}.${quote(key)} = ${quote(alias)}."id"`;

type BoundSide = Required<Pick<ModelField, 'side' | 'sql' | 'joined' | 'storedSql' | 'besideSql' | 'dataType'>>;

/**
 * The value in SQL: a lookup by key where the side table is not joined (filters, orders, summaries), its column where it
 * is. A row without a side row has the field's default.
 */
export function bindSide(declared: SideField): BoundSide {
  const { side } = declared;
  const { table, key, column, alias: joinedAs, dataType } = side;
  const otherwise = literal(defaultOf(declared), dataType);
  // of a table in a schema, which is no name that an alias can have
  const beside = (alias: string) => `${alias.replaceAll('.', '_')}_x`;
  const lookup = (what: string, alias: string) =>
    `(select ${what} from ${quote(table)} ${quote(beside(alias))} where ${quote(beside(alias))}.${quote(key)} = ${quote(alias)}."id")`;
  const own = (alias: string) => `${quote(alias)}.${quote(column)}`;
  const whole = (value: string, there: string) => {
    if (otherwise === 'null') return value;
    return declared.nullable
      ? `case when ${there} then ${value} else ${otherwise} end`
      : `coalesce(${value}, ${otherwise})`;
  };
  const storedSql = (alias: string) => whole(lookup(own(beside(alias)), alias), `${lookup('true', alias)} is not null`);
  const joinedValue = whole(own(joinedAs), `${quote(joinedAs)}.${quote(key)} is not null`);
  const shown = (value: string) => (declared.secret ? maskedSql(value) : value);
  return {
    side,
    dataType,
    storedSql,
    sql: (alias) => shown(storedSql(alias)),
    joined: shown(joinedValue),
    besideSql: (alias, holds) => {
      const at = beside(alias);
      const rows = `select 1 from ${quote(table)} ${quote(at)} where ${quote(at)}.${quote(key)} = ${quote(alias)}."id"`;
      const unset = otherwise === 'null' ? `null::${dataType}` : otherwise;
      return `(exists (${rows} and ${holds(own(at))}) or (${holds(unset)} and not exists (${rows})))`;
    },
  };
}

/** A constant as SQL text; without `?`, which would be taken for a place of a value. */
function literal(value: unknown, dataType: string): string {
  if (value === null || value === undefined) return 'null';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const quoted = text.replaceAll("'", "''");
  const escaped = quoted.includes('?')
    ? `U&'${quoted.replaceAll('\\', '\\\\').replaceAll('?', '\\003F')}'`
    : `'${quoted}'`;
  return `${escaped}::${dataType}`;
}
