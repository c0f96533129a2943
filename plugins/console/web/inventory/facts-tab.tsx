import { useSignal } from '@preact/signals';
import { Code, type Column, Failure, Loading, type Tab, Table, type TabProps, useQuery, t } from '@tapline/console-kit';

type Fact = [name: string, value: unknown];

/** What is known of the host from its last runs that kept facts, narrowed while somebody types. */
export const factsTab: Tab = {
  id: 'facts',
  label: t`Facts`,
  content: ({ row }: TabProps) => {
    const { data, error, reload } = useQuery<Record<string, unknown>>(`hosts/${row.id}/ansible_facts/`);
    const typed = useSignal('');
    if (error.value) return <Failure error={error.value} what={t`list of facts`} again={reload} />;
    if (!data.value) return <Loading what={t`facts`} />;
    const all = Object.entries(data.value);
    if (!all.length) return <p class="empty">{t`No run with the fact cache on has kept facts of it yet.`}</p>;
    const sought = typed.value.toLowerCase();
    const shown = all.filter(([name, value]) => `${name} ${JSON.stringify(value)}`.toLowerCase().includes(sought));
    return (
      <>
        <input
          type="search"
          aria-label={t`Narrow the facts`}
          placeholder={t`Narrow the facts`}
          value={typed.value}
          onInput={(event) => void (typed.value = event.currentTarget.value)}
        />
        <p class="muted" role="status">{t`${shown.length} of ${all.length} facts`}</p>
        <Table caption={t`Facts`} columns={columns} rows={shown} rowKey={([name]) => name} />
      </>
    );
  },
};

const columns: Column<Fact>[] = [
  { label: t`Fact`, heading: true, cell: ([name]) => name },
  {
    label: t`Value`,
    cell: ([, value]) => (typeof value === 'object' ? <Code text={JSON.stringify(value, null, 2)} /> : String(value)),
  },
];
