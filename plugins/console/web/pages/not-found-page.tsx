import { PageLayout, place, useQuery, t } from '@tapline/console-kit';

/** Recommendations and plugins name places that later versions of the console will have; the API has most of them now. */
export function NotFoundPage() {
  const { path } = place.value;
  const { data } = useQuery<Record<string, string>>('/api/v2/');
  const list = data.value?.[path.split('/')[1] ?? ''];
  return (
    <PageLayout title={t`No page here`}>
      <p>
        {t`The console has no page at`} <code>{path}</code>{' '}
        {t`in this version. What can be done there can be done over the API`}
        {list ? (
          <>
            {t`, at`} <a href={list}>{list}</a>.
          </>
        ) : (
          <>
            {t`, which is described at`} <a href="/api/docs/">/api/docs/</a>.
          </>
        )}
      </p>
      <p>
        <a href="/">{t`Back to the overview`}</a>
      </p>
    </PageLayout>
  );
}
