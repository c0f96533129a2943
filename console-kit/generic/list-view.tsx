import { t } from '../texts/t.ts';
import { useEffect } from 'preact/hooks';
import { type Query, useQuery } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { actionsOf, type BulkAction, namesOf } from '../bulk/action.ts';
import { Selection } from '../bulk/selection.tsx';
import { Failure, Loading } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { place } from '../router.ts';
import { pageOf } from '../resources/links.ts';
import {
  apiOf,
  type CellColumn,
  type FieldOption,
  descriptionOf,
  nameOf,
  type Options,
  type Resource,
  type Row,
} from '../resources/resource.ts';
import { Cell } from './cell.tsx';
import { FilterBar } from './filter-bar.tsx';
import { addressWith, listPath, pageSize, readQuery } from './list-query.ts';
import { useFirstPage } from '../components/use-first-page.ts';

interface Props {
  resource: Resource;
  /** of the list of all, whoever asked for it */
  options: Query<Options>;
  /** below /api/v2/; default the list of all */
  api?: string;
  /** columns that only this list has, such as buttons */
  more?: readonly CellColumn[];
  /** what can be done with several; default what can be with those of the resource */
  actions?: readonly BulkAction<Row>[];
  /** the list changed: read it again */
  turn?: number;
}

/** A list with its search, filters, order and page, all of which are in the address. */
export function ListView({ resource, options, api = apiOf(resource), more = [], actions, turn = 0 }: Props) {
  const { path, query } = place.value;
  const asked = readQuery(query, resource.order ?? resource.nameField ?? 'name');
  const list = listPath(api, asked);
  const { data, error, reload } = useQuery<Page<Row>>(list);
  useFirstPage({ error }, asked.page);
  useEffect(() => void (turn > 0 && reload()), [turn]);
  const fields = options.data.value?.actions.GET ?? {};
  const found = data.value;
  const narrowed = asked.search !== '' || asked.filters.length > 0;
  return (
    <>
      <FilterBar resource={resource} fields={fields} asked={asked} />
      {options.error.value && (
        <Failure error={options.error.value} what={t`list of what can be filtered`} again={options.reload} />
      )}
      {error.value && <Failure error={error.value} what={t`list of ${resource.many}`} again={reload} />}
      {!found && !error.value && <Loading what={resource.many} />}
      {found?.count === 0 && <p class="empty">{narrowed ? t`No ${resource.one} fits.` : noneYet(resource, api)}</p>}
      {found && found.count > 0 && (
        <>
          <p class="muted" role="status">
            {found.count === 1 ? `1 ${resource.one}` : `${found.count.toLocaleString('en')} ${resource.many}`}
          </p>
          <Chosen
            key={list}
            resource={resource}
            actions={actions ?? actionsOf(resource)}
            columns={columnsOf({ resource, more, reload }, fields, asked.order)}
            page={found}
            list={list}
            reload={reload}
          />
          <Pager
            path={path}
            query={query}
            page={asked.page}
            pages={Math.ceil(found.count / pageSize)}
            back={t`Back`}
            on={t`Next`}
          />
        </>
      )}
    </>
  );
}

/** A list below a record may be empty where the list of all is not. */
const noneYet = (resource: Resource, api: string) =>
  api === apiOf(resource) ? t`There is no ${resource.one} yet.` : t`There is no ${resource.one} here yet.`;

interface ChosenProps {
  resource: Resource;
  actions: readonly BulkAction<Row>[];
  columns: readonly Column<Row>[];
  page: Page<Row>;
  list: string;
  reload: () => Promise<void>;
}

/** The table; with boxes to select where something can be done with several. */
function Chosen({ resource, actions, columns, page: { results, count }, list, reload }: ChosenProps) {
  const draw = (all: readonly Column<Row>[]) => (
    <Table caption={t`List of ${resource.many}`} columns={all} rows={results} rowKey={({ id }) => id} />
  );
  const fitting = actions.filter(({ fits }) => results.some(fits));
  if (!fitting.length) return draw(columns);
  return (
    <Selection
      names={namesOf(resource)}
      rows={results}
      actions={fitting}
      all={{ list, count }}
      reload={reload}
      table={(select) => draw([select, ...columns])}
    />
  );
}

export const mayCreate = ({ data }: Query<Options>): boolean => data.value?.actions.POST !== undefined;

interface Listed {
  resource: Resource;
  more: readonly CellColumn[];
  reload: () => Promise<void>;
}

function columnsOf(
  { resource, more, reload }: Listed,
  fields: Record<string, FieldOption>,
  order: string,
): Column<Row>[] {
  return [...resource.columns, ...more].map((column, i) => {
    const given: CellColumn =
      typeof column === 'string'
        ? {
            label: fields[column]?.label ?? labelOf(column),
            cell: (row) => <Cell row={row} field={column} option={fields[column]} />,
            narrow: narrowTypes.has(fields[column]?.type ?? ''),
            ...(fields[column]?.filterable && { sort: column }),
          }
        : column;
    const { sort, cell, ...shown } = given;
    return {
      ...shown,
      heading: i === 0,
      cell: (row) =>
        i === 0 && typeof column === 'string' ? <Name resource={resource} row={row} /> : cell(row, reload),
      sort: sort === undefined ? undefined : sorting(sort, order),
    };
  });
}

const narrowTypes = new Set(['datetime', 'boolean', 'integer', 'choice']);

/** Of a field that OPTIONS does not tell of. */
export const labelOf = (field: string) => (field.charAt(0).toUpperCase() + field.slice(1)).replaceAll('_', ' ');

function sorting(field: string, order: string) {
  const { path, query } = place.value;
  const now = order === field ? 'ascending' : order === `-${field}` ? 'descending' : 'none';
  const next = now === 'ascending' ? `-${field}` : field;
  return { href: addressWith(path, query, { order_by: next }), order: now } as const;
}

function Name({ resource, row }: { resource: Resource; row: Row }) {
  const to = pageOf(row.type, row.id);
  const description = descriptionOf(resource, row);
  return (
    <>
      {to ? <a href={to}>{nameOf(resource, row)}</a> : nameOf(resource, row)}
      {description && <span class="muted sub">{description}</span>}
    </>
  );
}
