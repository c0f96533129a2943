import { PageLayout } from '../components/page.tsx';
import { place } from '../router.ts';

/** Recommendations and plugins name places that later versions of the console will have; the API has them now. */
export function NotFoundPage() {
  const { path } = place.value;
  return (
    <PageLayout title="No page here">
      <p>
        The console has no page at <code>{path}</code> in this version. What can be done there can be done over the API,
        which lists all it has at <a href="/api/v2/">/api/v2/</a>.
      </p>
      <p>
        <a href="/">Back to the overview</a>
      </p>
    </PageLayout>
  );
}
