import {
  ApiFailure,
  apiOf,
  type Column,
  may,
  type Page,
  Pager,
  place,
  post,
  type Query,
  type Resource,
  type Row,
  shown,
  Table,
  toast,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';

interface Props {
  row: Row;
  resource: Resource;
  approvals: boolean;
}

const pageSize = 25;
const events = [
  { id: 'started', label: t`Start` },
  { id: 'success', label: t`Success` },
  { id: 'error', label: t`Failure` },
  { id: 'approvals', label: t`Approval` },
] as const;

type Attached = Record<(typeof events)[number]['id'], Query<Page<Row>>>;

/** A box for each notification template and event; who may not change the record sees what is ticked. */
export function NotifyTable({ row, resource, approvals }: Props) {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const templates = useQuery<Page<Row>>(`notification_templates/?order_by=name&page=${number}&page_size=${pageSize}`);
  useFirstPage(templates, number);
  const lists = `${apiOf(resource)}${row.id}/notification_templates_`;
  const attached = useAttached(lists, templates.data.value, approvals);
  const words = { what: t`list of notification templates`, loading: t`notification templates` };
  return shown(templates, words, ({ count, results }) =>
    count === 0 ? (
      <p class="empty">
        {t`There is no notification template yet.`} <a href="/notification_templates">{t`Make one`}</a>{' '}
        {t`to send word of runs.`}
      </p>
    ) : (
      <>
        <p class="muted">{t`What is ticked here is told of runs of ${String(row['name'])}, besides what its organization has ticked.`}</p>
        <Table
          caption={t`Notification templates by event`}
          columns={columnsOf({ row, approvals, lists, attached })}
          rows={results}
          rowKey={({ id }) => id}
        />
        <Pager
          path={path}
          query={query}
          page={number}
          pages={Math.ceil(count / pageSize)}
          back={t`Back`}
          on={t`Next`}
        />
      </>
    ),
  );
}

function columnsOf({
  row,
  approvals,
  lists,
  attached,
}: Pick<Props, 'row' | 'approvals'> & { lists: string; attached: Attached }): Column<Row>[] {
  const offered = events.filter(({ id }) => approvals || id !== 'approvals');
  return [
    {
      label: t`Notification template`,
      heading: true,
      cell: ({ id, name }) => <a href={`/notification_templates/${id}`}>{String(name)}</a>,
    },
    { label: t`Kind`, narrow: true, cell: ({ notification_type }) => String(notification_type) },
    ...offered.map(({ id, label }) => ({
      label,
      narrow: true,
      cell: (template: Row) => (
        <Box
          list={`${lists}${id}/`}
          event={label}
          template={template}
          query={attached[id]}
          editable={may(row, 'edit')}
        />
      ),
    })),
  ];
}

/** Of the templates on this page, those that are ticked, by event. */
function useAttached(lists: string, page: Page<Row> | undefined, approvals: boolean): Attached {
  const ids = page?.results.map(({ id }) => id).join(',');
  const of = (event: string) =>
    useQuery<Page<Row>>(ids ? `${lists}${event}/?id__in=${ids}&page_size=${pageSize}` : null);
  const [started, success, error] = [of('started'), of('success'), of('error')];
  const ofApprovals = useQuery<Page<Row>>(
    ids && approvals ? `${lists}approvals/?id__in=${ids}&page_size=${pageSize}` : null,
  );
  return { started, success, error, approvals: ofApprovals };
}

interface BoxProps {
  /** where it is attached */
  list: string;
  event: string;
  template: Row;
  query: Query<Page<Row>>;
  editable: boolean;
}

function Box({ list, event, template, query, editable }: BoxProps) {
  const page = query.data.value;
  const on = page?.results.some(({ id }) => id === template.id) ?? false;
  const turn = async (box: HTMLInputElement) => {
    const { checked } = box;
    try {
      await post(list, { id: template.id, ...(checked ? {} : { disassociate: true }) });
      await query.reload();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      box.checked = on;
      toast(`${template['name']}: ${error.message}`, 'bad');
    }
  };
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={on}
        disabled={!editable || !page}
        onChange={({ currentTarget }) => void turn(currentTarget)}
      />
      <span class="visually-hidden">
        {event}: {String(template['name'])}
      </span>
    </label>
  );
}
