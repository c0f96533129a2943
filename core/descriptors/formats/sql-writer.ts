import type { ListFormat } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { alias } from '../read/sql.ts';
import { createCrlf } from './crlf.ts';

export interface SqlWriter {
  query: Knex.QueryBuilder;
  /** of COPY */
  options: string;
  header: string;
  convert: (chunk: Uint8Array) => string | Uint8Array;
}

/** How the database itself writes the rows, where the format says it in SQL. */
export function sqlWriter(db: Knex, ordered: () => Knex.QueryBuilder, format: ListFormat): SqlWriter | undefined {
  // what it is ordered by may be selected besides
  const from = (columns: string, inner: string) =>
    db.select(db.raw(columns)).from(ordered().select(db.raw(inner)).as('rows'));
  if (!format.csv) {
    if (!format.line) return undefined;
    const query = from('line', `${format.line(alias)} as line`);
    return { query, options: asTheyAre, header: format.header ?? '', convert: (chunk) => chunk };
  }
  if (!format.cells) return undefined;
  const cells = Object.entries(format.cells(alias)).map(([title, cell], index) => ({
    ...cell,
    title,
    name: `c${index}`,
  }));
  const texts = cells.filter(({ text }) => text).map(({ name }) => name);
  return {
    query: from(
      cells.map(({ name, text }) => (text ? textCell(name) : name)).join(', '),
      cells.map(({ sql, name }) => `(${sql})::text as ${name}`).join(', '),
    ),
    options: `format csv${texts.length ? `, force_quote (${texts.join(', ')})` : ''}`,
    header: `${cells.map(({ title }) => title).join(',')}\r\n`,
    convert: createCrlf(),
  };
}

/** CSV whose quotes and separators are in no text, so that none is ever quoted. */
const asTheyAre = String.raw`format csv, quote E'\x01', delimiter E'\x02'`;

/** What a spreadsheet would take for a formula, and run, begins so: = + - @ (also the wide ones), a tabulator, the end of a line. */
const formulas = [...'=+-@\uff1d\uff0b\uff0d\uff20\t\n\r'].map((sign) => sign.codePointAt(0)).join(', ');
const textCell = (name: string) =>
  `case when ascii(${name}) in (${formulas}) then '''' || ${name} else coalesce(${name}, '') end as ${name}`;
