import { useQuery } from '../api/query.ts';
import { user } from '../api/session.ts';
import { Failure, Loading } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { addressWith } from '../generic/list-query.ts';
import { RelationPicker } from '../generic/relation-picker.tsx';
import { apiOf, type Resource } from '../resources/resource.ts';
import { go, place } from '../router.ts';
import { t } from '../texts/t.ts';
import { type ExplainedRole, type Explanation, grantedBy, missingFor, roleWords } from './reasons.ts';

export interface WhyProps {
  row: { id: number };
  resource: Pick<Resource, 'path' | 'api'>;
}

interface Explained {
  user: { id: number; username: string };
  roles: Record<string, { held: boolean; by: ExplainedRole[]; missing: ExplainedRole[] }>;
  rights: Record<string, Explanation>;
}

interface Line {
  name: string;
  granted: boolean;
  why: readonly string[];
  missing: readonly string[];
}

/** What somebody may do to this record, role by role and right by right, those of plugins included, and why. */
export function WhyView({ row, resource }: WhyProps) {
  const { path, query } = place.value;
  const who = query.get('user') ?? String(user.value?.id ?? '');
  const asked = new URLSearchParams({ user: who });
  const { data, error, reload } = useQuery<Explained>(`${apiOf(resource)}${row.id}/explain-access/?${asked}`);
  const found = data.value;
  const choose = (id: string) => id && id !== who && go(addressWith(path, query, { user: id }));
  return (
    <>
      <RelationPicker name="user" label={t`Who`} list="users/" preset value={who} onValue={choose} />
      {error.value && <Failure error={error.value} what={t`explanation`} again={reload} />}
      {!found && !error.value && <Loading what={t`what they may do`} />}
      {found && <Lines caption={t`What ${found.user.username} may do`} label={t`Right`} lines={rightsOf(found)} />}
      {found && Object.keys(found.roles).length > 0 && (
        <Lines caption={t`Roles of ${found.user.username}`} label={t`Role`} lines={rolesOf(found)} />
      )}
    </>
  );
}

const words = (name: string) => name.replace(/_role$/, '').replaceAll('_', ' ');

const rightsOf = ({ rights }: Explained): Line[] =>
  Object.entries(rights).map(([name, one]) => ({
    name: words(name),
    granted: one.granted,
    why: grantedBy(one),
    missing: missingFor(one),
  }));

const rolesOf = ({ roles }: Explained): Line[] =>
  Object.entries(roles).map(([name, { held, by, missing }]) => ({
    name: words(name),
    granted: held,
    why: by.map(roleWords),
    missing: missing.map(roleWords),
  }));

function Lines({ caption, label, lines }: { caption: string; label: string; lines: readonly Line[] }) {
  const columns: Column<Line>[] = [
    { label, heading: true, cell: ({ name }) => name },
    { label: t`Has it`, narrow: true, cell: ({ granted }) => (granted ? t`Yes` : t`No`) },
    { label: t`Why`, cell: ({ why }) => <Several texts={why} /> },
    { label: t`Would give it`, cell: ({ missing }) => <Several texts={missing} /> },
  ];
  return (
    <section>
      <h2>{caption}</h2>
      <Table caption={caption} columns={columns} rows={lines} rowKey={({ name }) => name} />
    </section>
  );
}

const Several = ({ texts }: { texts: readonly string[] }) =>
  texts.length ? (
    <ul class="plain">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  ) : (
    <span class="muted">–</span>
  );
