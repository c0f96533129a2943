import type { ComponentChildren } from 'preact';
import { Loading, PageLayout, place, type Route, t, translate } from '@tapline/console-kit';
import { Contained, matchRoute, PluginFault, type PluginPages, useModule } from '@tapline/console-kit/shell';
import { NotFoundPage } from '../pages/not-found-page.tsx';

/** A page whose code a plugin brings, loaded when it is opened. Whatever goes wrong in it stays in it. */
export function PluginPage({ entry }: { entry: PluginPages }) {
  const { title, plugin } = entry;
  const loaded = useModule(entry);
  const framed = (content: ComponentChildren) => <PageLayout title={translate(title)}>{content}</PageLayout>;
  const failed = (problem: string) => framed(<PluginFault what={t`page`} plugin={plugin} problem={problem} />);
  if (!loaded) return framed(<Loading what={title} />);
  if ('problem' in loaded) return failed(loaded.problem);
  const routes = loaded.module['routes'];
  if (!isRoutes(routes)) return failed(t`Its module exports no list "routes" of patterns and pages.`);
  const found = matchRoute(routes, place.value.path);
  if (!found) return <NotFoundPage />;
  return (
    <Contained what={t`page`} plugin={plugin} frame={framed}>
      <found.route.page params={found.params} />
    </Contained>
  );
}

const isRoutes = (routes: unknown): routes is readonly Route[] =>
  Array.isArray(routes) &&
  routes.every((route) => typeof route?.pattern === 'string' && typeof route?.page === 'function');
