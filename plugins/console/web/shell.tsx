import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { liveState, place, toast, userName, t, translate } from '@tapline/console-kit';
import { beforeLeaving, Logo, logOut, matchRoute, pluginPagesAt } from '@tapline/console-kit/shell';
import { useWaitingApprovals, waitingApprovals } from './approvals/use-approvals.ts';
import { Away } from './api/away.tsx';
import { navigation, type NavigationEntry, keepNavigation } from './api/navigation.ts';
import { opened } from './keys/key-list.ts';
import { routes } from './routes.ts';

/** What stands around every page. */
export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="shell">
      <a class="skip" href="#content">{t`Skip to content`}</a>
      <header class="side">
        <a class="brand" href="/">
          <Logo />
          {t`Tapline`}
        </a>
        <Navigation />
        <div class="side-foot">
          <Connection />
          <p class="who">
            <span class="visually-hidden">{t`Logged in as`} </span>
            {userName.value}
          </p>
          <p>
            <a href="/api/docs/">{t`API`}</a>
          </p>
          <button type="button" class="link" onClick={() => beforeLeaving(() => void end())}>{t`Log out`}</button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Away />
        {children}
      </main>
    </div>
  );
}

const end = () => logOut().catch((error: Error) => toast(t`Logging out failed: ${error.message}`, 'bad'));

/** Served by its plugin itself: the browser goes there. */
const outside = ({ path, served }: NavigationEntry) => Boolean(served && !pluginPagesAt(path));
/** A plugin may name a page that neither this version of the console nor anybody else has. */
const shows = ({ path, served }: NavigationEntry) => Boolean(served || pluginPagesAt(path) || matchRoute(routes, path));

function Navigation() {
  const { path } = place.value;
  const open = useSignal(false);
  useEffect(keepNavigation, []);
  useWaitingApprovals();
  useEffect(() => void (open.value = false), [path]);
  const isHere = (entry: string) => (entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`));
  const entries = navigation.value.filter(shows);
  const sections = Object.entries(Object.groupBy(entries, ({ section }) => section ?? ''));
  return (
    <nav aria-label={t`Main`} class={open.value ? 'open' : undefined}>
      <button
        type="button"
        class="menu-button"
        aria-expanded={open.value}
        onClick={() => void (open.value = !open.value)}
      >{t`Menu`}</button>
      <div>
        <button type="button" class="find" onClick={() => void (opened.value = 'palette')}>
          {t`Find or do`} <kbd aria-hidden="true">{t`Ctrl K`}</kbd>
        </button>
        {sections.map(([section, list = []]) => (
          <div key={section}>
            {section && <h2>{translate(section)}</h2>}
            <ul>
              {list.map((entry) => (
                <li key={entry.path}>
                  <a
                    href={entry.path}
                    rel={outside(entry) ? 'external' : undefined}
                    aria-current={isHere(entry.path) ? 'page' : undefined}
                  >
                    {translate(entry.label)}
                    <Count path={entry.path} />
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/** How many things wait there for somebody. */
const counts: Record<string, ReadonlySignal<string | undefined>> = { '/approvals': waitingApprovals };

function Count({ path }: { path: string }) {
  const count = counts[path]?.value;
  return count ? (
    <span class="count">
      {count}
      <span class="visually-hidden"> {t`waiting`}</span>
    </span>
  ) : null;
}

const connections = {
  off: t`Live updates are off`,
  connecting: t`Connecting …`,
  open: t`Live`,
  lost: t`Connection lost, trying again …`,
  polling: t`Live, by asking every few seconds`,
} as const;

function Connection() {
  return (
    <p class={`connection ${liveState.value}`} role="status">
      {connections[liveState.value]}
    </p>
  );
}
