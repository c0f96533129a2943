import { useSignal } from '@preact/signals';
import {
  apiOf,
  attempt,
  type Column,
  Failure,
  Loading,
  may,
  type Page,
  Pager,
  place,
  post,
  type Row,
  type Tab,
  Table,
  type TabProps,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { GrantForm } from './grant-form.tsx';

/** A way by which somebody has access, as access_list tells it. */
interface Grant {
  role: {
    id: number;
    name: string;
    team_id?: number;
    team_name?: string;
    resource_name?: string;
    resource_type_display_name?: string;
    user_capabilities?: { unattach?: boolean };
  };
  descendant_roles: string[];
}

const pageSize = 25;

function AccessView({ row, resource }: TabProps) {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const api = `${apiOf(resource)}${row.id}/`;
  const list = useQuery<Page<Row>>(`${api}access_list/?order_by=username&page=${number}&page_size=${pageSize}`);
  useFirstPage(list, number);
  const { data, error, reload } = list;
  const remove: Remove = async (send, said, again) => {
    const undo = () => attempt(() => send(false), { said: again }).then(reload);
    if (await attempt(() => send(true), { said, undo })) await reload();
  };
  return (
    <>
      {may(row, 'edit') && <GrantForm row={row} onDone={reload} />}
      {error.value && <Failure error={error.value} what={t`list of people`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`people`} />}
      {data.value && (
        <>
          <Table
            caption={t`Who has access to this ${resource.one}`}
            columns={columns(remove)}
            rows={data.value.results}
            rowKey={({ id }) => id}
          />
          <Pager
            path={path}
            query={query}
            page={number}
            pages={Math.ceil(data.value.count / pageSize)}
            back={t`Back`}
            on={t`Next`}
          />
        </>
      )}
    </>
  );
}

/** Sends whether it is to be taken, or given again. */
type Remove = (send: (taken: boolean) => Promise<unknown>, said: string, again: string) => Promise<void>;

const columns = (remove: Remove): Column<Row>[] => [
  {
    label: t`Who`,
    heading: true,
    cell: ({ id, username, first_name, last_name }) => (
      <>
        <a href={`/users/${id}`}>{username}</a>
        <span class="muted sub">{`${first_name} ${last_name}`.trim()}</span>
      </>
    ),
  },
  {
    label: t`Given here`,
    cell: (user) => <Grants grants={user.summary_fields['direct_access']} user={user} remove={remove} />,
  },
  {
    label: t`By something else`,
    cell: (user) => <Grants grants={user.summary_fields['indirect_access']} user={user} />,
  },
];

function Grants({ grants = [], user, remove }: { grants?: Grant[]; user: Row; remove?: Remove }) {
  if (!grants.length) return <span class="muted">–</span>;
  return (
    <ul class="plain">
      {grants.map((grant) => (
        <li key={`${grant.role.id}-${grant.role.team_id ?? ''}`} class="grant">
          <span>
            <strong>{grant.role.name}</strong> <span class="muted">{whence(grant)}</span>
          </span>
          {remove && grant.role.user_capabilities?.unattach && (
            <RemoveButton grant={grant} user={user} remove={remove} />
          )}
        </li>
      ))}
    </ul>
  );
}

function RemoveButton({ grant: { role }, user, remove }: { grant: Grant; user: Row; remove: Remove }) {
  const sending = useSignal(false);
  const holder = role.team_id ? `roles/${role.id}/teams/` : `roles/${role.id}/users/`;
  const who = role.team_id ? t`team ${role.team_name ?? ''}` : String(user['username']);
  const take = async () => {
    if (sending.value) return;
    sending.value = true;
    await remove(
      (taken) => post(holder, { id: role.team_id ?? user.id, ...(taken && { disassociate: true }) }),
      t`${role.name} is taken from ${who}.`,
      t`${who} has ${role.name} again.`,
    );
    sending.value = false;
  };
  return (
    <button type="button" class="icon-button" aria-label={t`Take ${role.name} from ${who}`} onClick={() => void take()}>
      ×
    </button>
  );
}

/** Why: through which team, or by which role on something above. */
function whence({ role }: Grant): string {
  const parts = [
    role.team_name ? t`as member of team ${role.team_name}` : '',
    role.resource_name ? t`on ${(role.resource_type_display_name ?? '').toLowerCase()} ${role.resource_name}` : '',
  ].filter(Boolean);
  return parts.join(' ') || t`everywhere`;
}

export const accessTab: Tab = { id: 'access', label: t`Access`, content: AccessView };
