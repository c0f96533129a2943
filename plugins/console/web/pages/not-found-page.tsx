import { PageLayout, place, useQuery } from '@tapline/console-kit';

/** Recommendations and plugins name places that later versions of the console will have; the API has most of them now. */
export function NotFoundPage() {
  const { path } = place.value;
  const { data } = useQuery<Record<string, string>>('/api/v2/');
  const list = data.value?.[path.split('/')[1] ?? ''];
  return (
    <PageLayout title="No page here">
      <p>
        The console has no page at <code>{path}</code> in this version. What can be done there can be done over the API
        {list ? (
          <>
            , at <a href={list}>{list}</a>.
          </>
        ) : (
          <>
            , which is described at <a href="/api/docs/">/api/docs/</a>.
          </>
        )}
      </p>
      <p>
        <a href="/">Back to the overview</a>
      </p>
    </PageLayout>
  );
}
