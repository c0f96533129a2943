import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { connectLive, disconnectLive } from './api/live.ts';
import { restore, user } from './api/session.ts';
import { Notice } from './components/notice.tsx';
import { Loading, PageLayout } from './components/page.tsx';
import { Toasts } from './components/toasts.tsx';
import { LoginPage } from './pages/login/login-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { followLinks, go, matchRoute, place, safeNext } from './router.ts';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';

export function App() {
  const problem = useSignal('');
  useEffect(() => {
    restore().catch((error: Error) => void (problem.value = error.message));
    document.addEventListener('click', followLinks);
    return () => document.removeEventListener('click', followLinks);
  }, []);

  if (problem.value)
    return (
      <main class="alone">
        <Notice tone="bad" title="Tapline cannot be reached" alert>
          <p>{problem.value}</p>
          <button type="button" onClick={() => location.reload()}>
            Try again
          </button>
        </Notice>
      </main>
    );
  return (
    <>
      <Content />
      <Toasts />
    </>
  );
}

/** The login in place of everything while nobody is logged in. */
function Content() {
  const { path, query } = place.value;
  const known = user.value;
  useEffect(() => {
    if (known) connectLive();
    else disconnectLive();
  }, [known]);
  useEffect(() => {
    if (known === null && path !== '/login')
      go(`/login?next=${encodeURIComponent(`${location.pathname}${location.search}`)}`, { replace: true });
    if (known && path === '/login') go(safeNext(query.get('next')), { replace: true });
  }, [known, path]);

  if (known === undefined) return <Loading what="the console" />;
  if (known === null) return <LoginPage />;
  const found = matchRoute(routes, path);
  const { route, params } = found ?? { route: { page: NotFoundPage }, params: {} };
  return (
    <Shell>
      <Guarded key={path}>
        <route.page params={params} />
      </Guarded>
    </Shell>
  );
}

/** A fault in one page leaves the menu, and so a way out. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary((fault) => console.error(fault));
  if (!error) return <>{children}</>;
  return (
    <PageLayout title="This page failed">
      <Notice tone="bad" title="A fault of the console" alert>
        <p>{String((error as Error)?.message ?? error)}</p>
        <button type="button" onClick={again}>
          Try again
        </button>
      </Notice>
    </PageLayout>
  );
}
