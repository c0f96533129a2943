import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { liveState } from './api/live.ts';
import { navigation, readNavigation } from './api/navigation.ts';
import { logOut, userName } from './api/session.ts';
import { Logo } from './components/logo.tsx';
import { toast } from './components/toasts.tsx';
import { matchRoute, place } from './router.ts';
import { routes } from './routes.ts';

/** What stands around every page. */
export function Shell({ children }: { children: ComponentChildren }) {
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="/">
          <Logo />
          Tapline
        </a>
        <Navigation />
        <div class="side-foot">
          <Connection />
          <p class="who">
            <span class="visually-hidden">Logged in as </span>
            {userName.value}
          </p>
          <p>
            <a href="/api/docs/">API</a>
          </p>
          <button type="button" class="link" onClick={() => void end()}>
            Log out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

const end = () => logOut().catch((error: Error) => toast(`Logging out failed: ${error.message}`, 'bad'));

function Navigation() {
  const { path } = place.value;
  useEffect(() => void readNavigation().catch(() => undefined), []);
  const isHere = (entry: string) => (entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`));
  // a plugin may name a page that this version of the console does not have
  const entries = navigation.value.filter((entry) => matchRoute(routes, entry.path));
  return (
    <nav aria-label="Main">
      <ul>
        {entries.map((entry) => (
          <li key={entry.path}>
            <a href={entry.path} aria-current={isHere(entry.path) ? 'page' : undefined}>
              {entry.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const connections = {
  off: 'Live updates are off',
  connecting: 'Connecting …',
  open: 'Live',
  lost: 'Connection lost, trying again …',
} as const;

function Connection() {
  return (
    <p class={`connection ${liveState.value}`} role="status">
      {connections[liveState.value]}
    </p>
  );
}
