import { t } from '../texts/t.ts';
import { PageLayout } from '../components/page.tsx';
import { apiOf, type Resource } from '../resources/resource.ts';
import { ListView, mayCreate } from './list-view.tsx';
import { useOptions } from './use-options.ts';

/** @param turn another one reads the list again */
export function ListPage({ resource, turn = 0 }: { resource: Resource; turn?: number }) {
  const options = useOptions(apiOf(resource));
  const { many, one, path, intro, readOnly, listActions: ListActions } = resource;
  return (
    <PageLayout
      title={many.charAt(0).toUpperCase() + many.slice(1)}
      intro={intro}
      actions={
        <>
          {ListActions && <ListActions />}
          {!readOnly && mayCreate(options) && <a class="button primary" href={`/${path}/new`}>{t`New ${one}`}</a>}
        </>
      }
    >
      <ListView resource={resource} options={options} turn={turn} />
    </PageLayout>
  );
}
