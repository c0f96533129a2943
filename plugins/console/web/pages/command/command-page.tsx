import {
  apiOf,
  Failure,
  type Fields,
  go,
  Loading,
  nameOf,
  Notice,
  PageLayout,
  place,
  type Resource,
  type Row,
  t,
  useOptions,
  useQuery,
} from '@tapline/console-kit';
import { CommandForm } from './command-form.tsx';

interface Props {
  resource: Resource;
  id: number;
}

/** One module, run on the hosts of an inventory, on a group of them or on one. */
export function CommandPage({ resource, id }: Props) {
  const api = `${apiOf(resource)}${id}/`;
  const { data, error, reload } = useQuery<Row>(api);
  const options = useOptions(`${api}ad_hoc_commands/`);
  const row = data.value;
  const problem = error.value ?? options.error.value;
  const again = async () => void (await Promise.all([reload(), options.reload()]));
  const back = `/${resource.path}/${id}`;
  const offered = options.data.value && fieldsOf(resource, options.data.value.actions.POST);
  return (
    <PageLayout
      title={row ? t`Run a command on ${nameOf(resource, row)}` : t`Run a command`}
      intro={t`One module, once, without a playbook.`}
      trail={row ? [{ label: nameOf(resource, row), href: back }] : []}
    >
      {problem && <Failure error={problem} what={resource.one} again={again} />}
      {!problem && !(row && options.data.value) && <Loading what={t`the form`} />}
      {row && options.data.value && !offered && <Notice tone="info">{t`You may not run commands here.`}</Notice>}
      {row && offered && (
        <CommandForm
          list={`${api}ad_hoc_commands/`}
          fields={offered}
          suggested={place.value.query}
          onCancel={() => go(back)}
        />
      )}
    </PageLayout>
  );
}

/** The record says on which inventory; a host or a group is the limit itself. */
function fieldsOf({ path }: Resource, all: Fields = {}): Fields | undefined {
  const given = path === 'inventories' ? ['inventory'] : ['inventory', 'limit'];
  const open = Object.entries(all).filter(([name]) => !given.includes(name));
  return open.length ? Object.fromEntries(open) : undefined;
}
