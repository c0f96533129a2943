import { Failure, Loading, type Page, PageLayout, useQuery, t } from '@tapline/console-kit';
import { SearchSettings } from './search-settings.tsx';

interface Category {
  slug: string;
  name: string;
}

export function SettingsPage() {
  const { data, error, reload } = useQuery<Page<Category>>('settings/?page_size=200');
  return (
    <PageLayout title={t`Settings`} intro={t`How the service behaves, by category.`}>
      {error.value && <Failure error={error.value} what={t`list of settings`} again={reload} />}
      {!data.value && !error.value && <Loading what={t`settings`} />}
      {data.value && <SearchSettings />}
      {data.value && (
        <ul class="plain categories">
          {data.value.results.map(({ slug, name }) => (
            <li key={slug}>
              <a href={`/settings/${slug}`}>{name}</a>
            </li>
          ))}
        </ul>
      )}
    </PageLayout>
  );
}
