import type { ComponentChildren } from 'preact';

export interface Column<T> {
  label: string;
  cell: (row: T) => ComponentChildren;
  /** in its heading instead of the label, which names the cells all the same */
  head?: ComponentChildren;
  /** kept to its content */
  narrow?: boolean;
  /** the cell that names the row */
  heading?: boolean;
  /** where the heading leads: to the same list in the order of this column */
  sort?: { href: string; order: 'ascending' | 'descending' | 'none' } | undefined;
}

interface Props<T> {
  /** what the table holds, for those who do not see the heading above it */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
}

export function Table<T>({ caption, columns, rows, rowKey }: Props<T>) {
  return (
    <div class="table-wrap">
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, head, narrow, sort }) => (
              <th key={label} scope="col" class={narrow ? 'narrow' : undefined} aria-sort={sort?.order}>
                {sort ? (
                  <a class="sort" href={sort.href}>
                    {label}
                  </a>
                ) : (
                  (head ?? label)
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ label, cell, narrow, heading }) =>
                heading ? (
                  <th key={label} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={label} data-label={label} class={narrow ? 'narrow' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
