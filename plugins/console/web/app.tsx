import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { go, Loading, Notice, PageLayout, place, type User, user, t } from '@tapline/console-kit';
import {
  connectLive,
  disconnectLive,
  expired,
  followLinks,
  LeaveDialog,
  matchRoute,
  pluginPagesAt,
  restore,
  safeNext,
  Toasts,
} from '@tapline/console-kit/shell';
import { navigationKnown } from './api/navigation.ts';
import { Keys } from './keys/keys.tsx';
import { LoginAgain, LoginPage } from './pages/login/login-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PluginPage } from './plugins/plugin-page.tsx';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';

/** A service that is restarted is away for some seconds. */
const againMs = 3000;

export function App() {
  const problem = useSignal('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const begin = async () => {
      try {
        await restore();
        problem.value = '';
      } catch (error) {
        problem.value = (error as Error).message;
        timer = setTimeout(() => void begin(), againMs);
      }
    };
    void begin();
    document.addEventListener('click', followLinks);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('click', followLinks);
    };
  }, []);

  if (problem.value)
    return (
      <main class="alone">
        <Notice tone="bad" title={t`Tapline cannot be reached`} alert>
          <p>{problem.value}</p>
          <p>{t`It is tried again every few seconds.`}</p>
          <button type="button" onClick={() => location.reload()}>{t`Try again`}</button>
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

/** The login in place of everything while nobody is logged in; over the page where its session has ended meanwhile. */
function Content() {
  const { path, query } = place.value;
  const known = user.value;
  const last = useRef<User | null>(null);
  if (known) last.current = known;
  else if (known === null && !expired.value) last.current = null;
  const somebody = last.current;
  useEffect(() => {
    if (known) connectLive();
    else disconnectLive();
  }, [known]);
  useEffect(() => {
    if (known === null && !somebody && path !== '/login')
      go(`/login?next=${encodeURIComponent(`${location.pathname}${location.search}`)}`, { replace: true });
    if (known && path === '/login') go(safeNext(query.get('next')), { replace: true });
  }, [known, somebody, path]);

  if (known === undefined) return <Loading what={t`the console`} />;
  if (!somebody) return <LoginPage />;
  const found = matchRoute(routes, path);
  return (
    <>
      <div class={known ? undefined : 'locked'}>
        {/* another person begins anew */}
        <Shell key={somebody.id}>
          <Guarded key={path}>{found ? <found.route.page params={found.params} /> : <Elsewhere path={path} />}</Guarded>
        </Shell>
      </div>
      {known && <Keys />}
      {known && <LeaveDialog />}
      {!known && <LoginAgain />}
    </>
  );
}

/** A page that is not the console's own: a plugin's, once it is known which there are. */
function Elsewhere({ path }: { path: string }) {
  const entry = pluginPagesAt(path);
  if (entry) return <PluginPage key={entry.path} entry={entry} />;
  return navigationKnown.value ? <NotFoundPage /> : <Loading what={t`the page`} />;
}

/** A fault in one page leaves the menu, and so a way out. */
function Guarded({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary((fault) => console.error(fault));
  if (!error) return <>{children}</>;
  return (
    <PageLayout title={t`This page failed`}>
      <Notice tone="bad" title={t`A fault of the console`} alert>
        <p>{String((error as Error)?.message ?? error)}</p>
        <button type="button" onClick={again}>{t`Try again`}</button>
      </Notice>
    </PageLayout>
  );
}
