import { useSignal } from '@preact/signals';
import { Code, type Column, shown, type Tab, Table, type TabProps, useQuery, t } from '@tapline/console-kit';

type Fact = [name: string, value: unknown];

/** What is known of the host from its last runs that kept facts, narrowed while somebody types. */
export const factsTab: Tab = {
  id: 'facts',
  label: t`Facts`,
  content: ({ row }: TabProps) => {
    const query = useQuery<Record<string, unknown>>(`hosts/${row.id}/ansible_facts/`);
    const typed = useSignal('');
    return shown(query, { what: t`list of facts`, loading: t`facts` }, (facts) => {
      const all = Object.entries(facts);
      if (!all.length) return <p class="empty">{t`No run with the fact cache on has kept facts of it yet.`}</p>;
      const sought = typed.value.toLowerCase();
      const fitting = all.filter(([name, value]) => `${name} ${JSON.stringify(value)}`.toLowerCase().includes(sought));
      return (
        <>
          <input
            type="search"
            aria-label={t`Narrow the facts`}
            placeholder={t`Narrow the facts`}
            value={typed.value}
            onInput={(event) => void (typed.value = event.currentTarget.value)}
          />
          <p class="muted" role="status">{t`${fitting.length} of ${all.length} facts`}</p>
          <Table caption={t`Facts`} columns={columns} rows={fitting} rowKey={([name]) => name} />
        </>
      );
    });
  },
};

const columns: Column<Fact>[] = [
  { label: t`Fact`, heading: true, cell: ([name]) => name },
  {
    label: t`Value`,
    cell: ([, value]) => (typeof value === 'object' ? <Code text={JSON.stringify(value, null, 2)} /> : String(value)),
  },
];
