import {
  apiOf,
  attempt,
  type Column,
  Failure,
  linkedPage,
  Loading,
  nameOf,
  type Page,
  Pager,
  pageSize,
  place,
  post,
  type Row,
  Table,
  type TabProps,
  useOptions,
  useQuery,
  useFirstPage,
  t,
} from '@tapline/console-kit';
import { GiveForm } from './give-form.tsx';

export function RolesView({ row, resource }: TabProps) {
  const { path, query } = place.value;
  const number = Math.max(1, Number(query.get('page')) || 1);
  const api = `${apiOf(resource)}${row.id}/roles/`;
  const { data, error, reload } = useQuery<Page<Row>>(`${api}?order_by=id&page=${number}&page_size=${pageSize}`);
  useFirstPage({ error }, number);
  // who may give anything is offered the form
  const options = useOptions(api);
  const who = nameOf(resource, row);
  const take = async (role: Row) => {
    const words = wordsOf(role);
    const again = () => attempt(() => post(api, { id: role.id }), { said: t`${who} has ${words} again.` }).then(reload);
    const taken = () => post(api, { id: role.id, disassociate: true });
    if (await attempt(taken, { said: t`${words} is taken from ${who}.`, undo: again })) await reload();
  };
  const found = data.value;
  return (
    <>
      {options.data.value?.actions.POST && <GiveForm api={api} teams={row.type === 'team'} onDone={reload} />}
      {error.value && <Failure error={error.value} what={t`list of roles`} again={reload} />}
      {!found && !error.value && <Loading what={t`the roles`} />}
      {found?.count === 0 && <p class="empty">{t`No role was given yet.`}</p>}
      {found && found.count > 0 && (
        <>
          <Table caption={t`Roles of ${who}`} columns={columns(take)} rows={found.results} rowKey={({ id }) => id} />
          <Pager
            path={path}
            query={query}
            page={number}
            pages={Math.ceil(found.count / pageSize)}
            back={t`Back`}
            on={t`Next`}
          />
        </>
      )}
    </>
  );
}

/** `Admin on Shop floor` */
function wordsOf({ name, summary_fields: { resource_name: on } }: Row): string {
  return on === undefined ? String(name) : t`${String(name)} on ${String(on)}`;
}

const columns = (take: (role: Row) => Promise<void>): Column<Row>[] => [
  { label: t`Role`, heading: true, cell: ({ name }) => String(name) },
  { label: t`Kind`, narrow: true, cell: ({ summary_fields: { resource_type_display_name: kind } }) => kind ?? '–' },
  { label: t`On`, cell: (role) => <On role={role} /> },
  {
    label: t`Action`,
    narrow: true,
    cell: (role) =>
      role.summary_fields['user_capabilities']?.unattach && (
        <button type="button" onClick={() => void take(role)}>
          {t`Take`}
          <span class="visually-hidden"> {wordsOf(role)}</span>
        </button>
      ),
  },
];

function On({ role: { related, summary_fields: named } }: { role: Row }) {
  const name = named['resource_name'];
  if (name === undefined) return <span class="muted">{t`everything`}</span>;
  const to = linkedPage(related, String(named['resource_type']));
  return to ? <a href={to}>{name}</a> : <>{name}</>;
}
