import { useQuery } from '../../api/query.ts';
import type { Page, Template } from '../../api/types.ts';
import { Failure, Loading, PageLayout } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { Status } from '../../components/status.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { When } from '../../components/time.tsx';
import { place } from '../../router.ts';

const pageSize = 25;

const columns: readonly Column<Template>[] = [
  {
    label: 'Name',
    heading: true,
    cell: ({ id, name, description }) => (
      <>
        <a href={`/templates/${id}/launch`}>{name}</a>
        {description && <span class="muted sub">{description}</span>}
      </>
    ),
  },
  { label: 'Project', cell: ({ summary_fields }) => summary_fields['project']?.name ?? '–' },
  { label: 'Playbook', cell: ({ playbook }) => <code>{playbook}</code> },
  { label: 'Last run', narrow: true, cell: ({ status }) => <Status status={status} /> },
  { label: 'When', narrow: true, cell: ({ last_job_run }) => <When at={last_job_run} /> },
  {
    label: 'Action',
    narrow: true,
    cell: ({ id, name, summary_fields }) =>
      summary_fields['user_capabilities']?.start === false ? null : (
        <a class="button" href={`/templates/${id}/launch`} aria-label={`Launch ${name}`}>
          Launch
        </a>
      ),
  },
];

export function TemplatesPage() {
  const { query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const { data, error } = useQuery<Page<Template>>(`job_templates/?order_by=name&page_size=${pageSize}&page=${number}`);
  return (
    <PageLayout title="Templates" intro="What can be launched: a playbook with everything it needs.">
      {error.value && <Failure error={error.value} what="list of templates" />}
      {!data.value && !error.value && <Loading what="templates" />}
      {data.value?.count === 0 && (
        <p class="empty">
          There is no template yet. <a href="/setup">Set one up</a>
        </p>
      )}
      {data.value && data.value.count > 0 && (
        <>
          <Table caption="Job templates" columns={columns} rows={data.value.results} rowKey={({ id }) => id} />
          <Pager path="/templates" query={query} page={number} pages={Math.ceil(data.value.count / pageSize)} />
        </>
      )}
    </PageLayout>
  );
}
