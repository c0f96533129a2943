import { whyTab } from '../access/why-tab.tsx';
import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useQuery } from '../api/query.ts';
import { Failure, Loading, PageLayout } from '../components/page.tsx';
import { Panels } from '../plugins/panels.tsx';
import { place } from '../router.ts';
import { apiOf, descriptionOf, may, nameOf, type Resource, type Row, type Tab } from '../resources/resource.ts';
import { CopyButton } from './copy-button.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Facts } from './facts.tsx';
import { addressWith } from './list-query.ts';

/** A record with its tabs; `tab` is one that has an address of its own. */
export function DetailPage({ resource, id, tab }: { resource: Resource; id: string; tab?: string }) {
  const { data, error, reload } = useQuery<Row>(`${apiOf(resource)}${id}/`);
  const row = data.value;
  const { query } = place.value;
  // a row stays on the page while it is read again
  const tabs = row ? [...(resource.tabs ?? []), whyTab].filter(({ shown }) => shown?.(row) ?? true) : [];
  const chosen = tabs.find((one) => one.id === (tab ?? query.get('tab')));
  const turn = useSignal(0);
  const again = async () => {
    await reload();
    turn.value += 1;
  };
  const { actions: Actions } = resource;
  return (
    <PageLayout
      title={row ? nameOf(resource, row) : resource.one}
      trail={[{ label: labelOf(resource), href: (row && resource.parent?.(row)) ?? `/${resource.path}` }]}
      intro={row && descriptionOf(resource, row) && <p>{descriptionOf(resource, row)}</p>}
      actions={
        row && (
          <>
            {Actions && <Actions row={row} resource={resource} reload={again} />}
            {!resource.readOnly && may(row, 'edit') && (
              <a class="button" href={`/${resource.path}/${id}/edit`}>{t`Edit`}</a>
            )}
            {may(row, 'copy') && row['related']?.copy && <CopyButton resource={resource} row={row} />}
            {!resource.readOnly && may(row, 'delete') && <DeleteButton resource={resource} row={row} />}
          </>
        )
      }
    >
      {error.value && <Failure error={error.value} what={resource.one} again={reload} />}
      {!row && !error.value && <Loading what={resource.one} />}
      {row && tabs.length > 0 && <Tabs path={`/${resource.path}/${id}`} tabs={tabs} chosen={chosen} />}
      {row && !chosen && (
        <>
          <Facts resource={resource} row={row} />
          <Panels record={row} reload={again} />
        </>
      )}
      {row && chosen && (
        <section aria-label={chosen.label} key={chosen.id}>
          <chosen.content row={row} resource={resource} reload={again} />
        </section>
      )}
    </PageLayout>
  );
}

const labelOf = ({ many }: Resource) => many.charAt(0).toUpperCase() + many.slice(1);

function Tabs({ path, tabs, chosen }: { path: string; tabs: readonly Tab[]; chosen: Tab | undefined }) {
  // another tab has filters of its own
  const to = ({ id, page }: Tab) => (page ? `${path}/${id}` : addressWith(path, new URLSearchParams(), { tab: id }));
  return (
    <nav class="tabs" aria-label={t`Parts`}>
      <a href={path} aria-current={chosen ? undefined : 'page'}>{t`Details`}</a>
      {tabs.map((tab) => (
        <a key={tab.id} href={to(tab)} aria-current={chosen?.id === tab.id ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
