import type { Shown } from './resource.ts';

interface FormatBase {
  /** `text/csv; charset=utf-8`; an Accept header that prefers it to JSON chooses the format too */
  media: string;
  /** of the file's name, which begins like the path of the resource */
  extension: string;
  /** one sentence on what it is for; OPTIONS and the API description say it */
  help?: string;
  /**
   * What is told of a row, in this order: title → key of the row as lists show it (`name`, `summary_fields.host.name`), or
   * what makes the value of it at once. Unless given, `id` and every field that lists show.
   */
  columns?: Readonly<Record<string, string | ((row: Shown) => unknown)>>;
}

/** A table that the service writes as RFC 4180 says, with a line of titles; cells that a spreadsheet would run get a `'` in front. */
interface CsvFormat extends FormatBase {
  csv: true;
  /**
   * In place of `columns`: SQL of every cell by title, over the table's alias, for millions of rows whose columns are seen by whoever
   * sees the row. `text`: it is quoted, and gets a `'` in front where a spreadsheet would run it.
   */
  cells?: (alias: string) => Readonly<Record<string, { sql: string; text?: boolean }>>;
}

interface TextFormat extends FormatBase {
  csv?: undefined;
  /** the text of one row, of its values by title */
  row: (values: Record<string, unknown>, row: Shown) => string;
  /**
   * In place of `row`: SQL of that text over the table's alias, for millions of rows whose columns are seen by whoever sees the row.
   * One line without its end, in which there is no control character, such as JSON; of the other texts only `header` is written.
   */
  line?: (alias: string) => string;
  /** before the first row, between two, after the last */
  header?: string;
  separator?: string;
  footer?: string;
}

/**
 * What lists of a resource are written as besides pages of JSON: `?format=<name>`, or by the Accept header. It holds all rows that
 * the list has for the caller, with the same filters, parameters, rights and order, and no pages: read by a cursor in one
 * read-only transaction, 500 at a time (what is said in SQL: all by one statement), as fast as the client takes them. A node writes four such answers at once, two of them
 * for one caller, and whoever comes then is told to come again (503, 429). An answer breaks off where a batch takes the database
 * 30 seconds (one that is said in SQL has no batches), the client takes nothing for a minute, the whole takes ten minutes, or something fails midway: an answer that
 * ends well is whole.
 */
export type ListFormat = CsvFormat | TextFormat;

type Columns = Pick<FormatBase, 'columns' | 'help'>;

/** Makers of the usual formats. */
export const format = {
  csv: (more: Columns & Pick<CsvFormat, 'cells'> = {}): ListFormat => ({
    media: 'text/csv; charset=utf-8',
    extension: 'csv',
    help: 'A table for spreadsheets.',
    ...more,
    csv: true,
  }),
  /** One JSON object a line, with the titles of the columns as keys. */
  jsonLines: (more: Columns = {}): ListFormat => ({
    media: 'application/x-ndjson',
    extension: 'ndjson',
    help: 'One JSON object a line.',
    ...more,
    row: (values) => `${JSON.stringify(values)}\n`,
  }),
  /** One JSON list of flat objects. */
  jsonList: (more: Columns = {}): ListFormat => ({
    media: 'application/json',
    extension: 'json',
    help: 'One JSON list, without pages.',
    ...more,
    row: (values) => JSON.stringify(values),
    header: '[\n',
    separator: ',\n',
    footer: '\n]\n',
  }),
};
