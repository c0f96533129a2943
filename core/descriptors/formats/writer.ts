import type { ListFormat, Shown } from '@tapline/plugin-sdk';
import type { Options } from 'csv-stringify/sync';
import type { Model } from '../model.ts';

/** Turns rows into text, batch by batch. */
export interface Writer {
  header: string;
  rows: (batch: readonly Shown[]) => string;
  footer: string;
}

type Column = [title: string, read: (row: Shown) => unknown];

export async function createWriter(model: Model, format: ListFormat): Promise<Writer> {
  const columns = columnsOf(model, format);
  if (format.csv) return csvWriter(columns);
  const { row: write, header = '', separator = '', footer = '' } = format;
  let between = '';
  return {
    header,
    footer,
    rows(batch) {
      const texts = batch.map((row) =>
        write(Object.fromEntries(columns.map(([title, read]) => [title, read(row)])), row),
      );
      const text = between + texts.join(separator);
      between = separator;
      return text;
    },
  };
}

function columnsOf({ shown }: Model, { columns }: ListFormat): Column[] {
  const all = columns ?? Object.fromEntries(['id', ...shown.list.map(({ name }) => name)].map((name) => [name, name]));
  return Object.entries(all).map(([title, column]) => [title, typeof column === 'string' ? reader(column) : column]);
}

function reader(path: string): Column[1] {
  const keys = path.split('.');
  return (row) => keys.reduce<unknown>((value, key) => (value as Shown | undefined | null)?.[key], row) ?? null;
}

const csvOptions: Options = {
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
  // of a cell that begins like one, spreadsheets make a formula, and run it
  escape_formulas: true,
  cast: { boolean: String, object: (value) => JSON.stringify(value) },
};

/** The library comes with the first table. */
async function csvWriter(columns: readonly Column[]): Promise<Writer> {
  const { stringify } = await import('csv-stringify/sync');
  return {
    header: stringify([columns.map(([title]) => title)], csvOptions),
    rows: (batch) =>
      stringify(
        batch.map((row) => columns.map(([, read]) => read(row))),
        csvOptions,
      ),
    footer: '',
  };
}
