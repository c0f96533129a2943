import { useSignal } from '@preact/signals';
import { type Page, type Row, shown, type Tab, type TabProps, useQuery, t } from '@tapline/console-kit';

const most = 100;
const asked = `order_by=name&page_size=${most}`;

/** Groups within groups, and their hosts: each level is read when somebody opens it. */
export const treeTab: Tab = {
  id: 'tree',
  label: t`Tree`,
  // what has no groups of its own has no tree
  shown: ({ related }) => Boolean(related?.root_groups),
  content: ({ row }: TabProps) => (
    <Level
      groups={`inventories/${row.id}/root_groups/`}
      hosts={`inventories/${row.id}/hosts/?groups__isnull=true`}
      trail={[]}
      empty={t`There is neither a group nor a host yet.`}
    />
  ),
};

interface LevelProps {
  groups: string;
  /** those that stand here themselves; at the top those of no group */
  hosts: string;
  /** ids of the groups above: a group may stand within itself by a detour */
  trail: readonly number[];
  empty: string;
}

function Level({ groups, hosts, trail, empty }: LevelProps) {
  const within = useQuery<Page<Row>>(`${groups}?${asked}`);
  const own = useQuery<Page<Row>>(`${hosts}${hosts.includes('?') ? '&' : '?'}${asked}`);
  const words = { what: t`level of the tree`, loading: t`the tree` };
  return shown(within, words, (inner) =>
    shown(own, words, (ones) => <Entries groups={inner} hosts={ones} trail={trail} empty={empty} />),
  );
}

interface EntriesProps {
  groups: Page<Row>;
  hosts: Page<Row>;
  trail: readonly number[];
  empty: string;
}

function Entries({ groups, hosts, trail, empty }: EntriesProps) {
  if (!groups.count && !hosts.count) return <p class="muted">{empty}</p>;
  const more = groups.count - groups.results.length + hosts.count - hosts.results.length;
  return (
    <ul class="tree">
      {groups.results.map((one) => (
        <li key={`g${one.id}`}>
          <Branch group={one} trail={trail} />
        </li>
      ))}
      {hosts.results.map((one) => (
        <li key={`h${one.id}`}>
          <a href={`/hosts/${one.id}`}>{one['name']}</a>
          {one['enabled'] === false && <span class="muted"> {t`(disabled)`}</span>}
        </li>
      ))}
      {more > 0 && <li class="muted">{t`… and ${more} more`}</li>}
    </ul>
  );
}

function Branch({ group, trail }: { group: Row; trail: readonly number[] }) {
  const open = useSignal(false);
  return (
    <details onToggle={(event) => void (open.value = event.currentTarget.open)}>
      <summary>{group['name']}</summary>
      <p>
        <a href={`/groups/${group.id}`}>
          {t`Open`}
          <span class="visually-hidden"> {group['name']}</span>
        </a>
      </p>
      {open.value && trail.includes(group.id) && <p class="muted">{t`It stands within itself.`}</p>}
      {open.value && !trail.includes(group.id) && (
        <Level
          groups={`groups/${group.id}/children/`}
          hosts={`groups/${group.id}/hosts/`}
          trail={[...trail, group.id]}
          empty={t`Nothing is in it.`}
        />
      )}
    </details>
  );
}
