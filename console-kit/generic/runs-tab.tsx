import { t } from '../texts/t.ts';
import { useRuns } from '../api/runs.ts';
import { Failure, Loading } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { SelectRuns } from '../runs/select-runs.tsx';
import { place } from '../router.ts';
import { apiOf, type Tab, type TabProps } from '../resources/resource.ts';
import { useFirstPage } from '../components/use-first-page.ts';

const pageSize = 25;

/** What ran of this one, newest first. */
export function runsTab(id: string, label: string): Tab {
  const content = ({ row, resource }: TabProps) => {
    const { path, query } = place.value;
    const number = Math.max(1, Number(query.get('page')) || 1);
    const list = `${apiOf(resource)}${row.id}/${id}/?order_by=-id&page=${number}&page_size=${pageSize}`;
    const { data, error, reload } = useRuns(list);
    useFirstPage({ error }, number);
    return (
      <>
        {error.value && <Failure error={error.value} what={t`list of runs`} again={reload} />}
        {!data.value && !error.value && <Loading what={t`runs`} />}
        {data.value?.count === 0 && <p class="empty">{t`Nothing has run yet.`}</p>}
        {data.value && data.value.count > 0 && (
          <>
            <SelectRuns
              key={list}
              caption={label}
              runs={data.value.results}
              all={{ list, count: data.value.count }}
              reload={reload}
            />
            <Pager path={path} query={query} page={number} pages={Math.ceil(data.value.count / pageSize)} />
          </>
        )}
      </>
    );
  };
  return { id, label, content };
}
