import type { Route } from '../router.ts';
import { makeKnown } from '../resources/links.ts';
import type { Resource } from '../resources/resource.ts';
import { DetailPage } from './detail-page.tsx';
import { CreatePage, EditPage } from './form-page.tsx';
import { ListPage } from './list-page.tsx';

/** The addresses of a resource: its list, a new one, one of them, changing it. From here on links of other records lead to them. */
export function pagesOf(resource: Resource): Route[] {
  makeKnown([resource]);
  const { path, readOnly, tabs = [] } = resource;
  const shown: Route[] = [
    ...tabs
      .filter(({ page }) => page)
      .map(({ id: tab }): Route => ({
        pattern: `/${path}/:id/${tab}`,
        page: ({ params }) => <DetailPage resource={resource} id={params['id']!} tab={tab} />,
      })),
    { pattern: `/${path}`, page: () => <ListPage resource={resource} /> },
    { pattern: `/${path}/:id`, page: ({ params }) => <DetailPage resource={resource} id={params['id']!} /> },
  ];
  if (readOnly) return shown;
  return [
    { pattern: `/${path}/new`, page: () => <CreatePage resource={resource} /> },
    { pattern: `/${path}/:id/edit`, page: ({ params }) => <EditPage resource={resource} id={params['id']!} /> },
    ...shown,
  ];
}
