import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { beforeLeaving, somethingTyped } from './leaving/leaving.ts';

export interface Route {
  /** `/jobs/:id` */
  pattern: string;
  page: ComponentType<{ params: Record<string, string> }>;
}

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal(here());

/** How far this page is from where the history of the console began: each entry knows it, so that a way back can be undone. */
let at = Number(history.state?.at) || 0;
let undoing = false;
history.replaceState({ at }, '');

addEventListener('popstate', ({ state }) => {
  // the browser made an entry by itself, for a place on this page
  if (!state) return history.replaceState({ at: ++at }, '');
  const to = Number(state.at) || 0;
  const by = to - at;
  if (undoing) {
    undoing = false;
    return;
  }
  if (by !== 0 && elsewhere(new URL(location.href)) && somethingTyped()) {
    undoing = true;
    history.go(-by);
    beforeLeaving(() => history.go(by));
    return;
  }
  at = to;
  place.value = here();
});

const elsewhere = ({ pathname, search }: URL): boolean =>
  pathname !== place.peek().path || search !== addressOf(place.peek().query);

const addressOf = (query: URLSearchParams) => (query.size ? `?${query}` : '');

/** Asks first where something that was typed would be lost, unless the place is only replaced. */
export function go(to: string, { replace = false } = {}): void {
  const url = new URL(to, location.origin);
  // only ever to a page of ours
  if (url.origin !== location.origin) return;
  if (replace) move(url, 'replaceState');
  else beforeLeaving(() => move(url, 'pushState'));
}

function move(url: URL, how: 'replaceState' | 'pushState'): void {
  if (how === 'pushState') at += 1;
  history[how]({ at }, '', url);
  place.value = here();
  // a line of the output brings itself into sight
  if (!url.hash && !url.searchParams.has('line')) scrollTo(0, 0);
}

/** Clicks on links to our own pages change the page without loading everything again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest('a');
  if (
    !link ||
    link.target ||
    link.rel === 'external' ||
    link.hasAttribute('download') ||
    link.origin !== location.origin
  )
    return;
  if (/^\/(?:api|sso|metrics)(?:\/|$)/.test(link.pathname) || link.getAttribute('href')?.startsWith('#')) return;
  event.preventDefault();
  go(link.href);
}

export function matchRoute(
  routes: readonly Route[],
  path: string,
): { route: Route; params: Record<string, string> } | null {
  const parts = path.split('/').filter(Boolean);
  for (const route of routes) {
    const wanted = route.pattern.split('/').filter(Boolean);
    if (wanted.length !== parts.length) continue;
    const params: Record<string, string> = {};
    const fits = wanted.every((part, i) => {
      if (!part.startsWith(':')) return part === parts[i];
      params[part.slice(1)] = parts[i]!;
      return /^[\w-]+$/.test(parts[i]!);
    });
    if (fits) return { route, params };
  }
  return null;
}

/** Where to go after the login: a path of this page, whatever the address says. */
export function safeNext(next: string | null): string {
  if (!next || !/^\/(?![/\\])/.test(next) || /[\x00-\x1f\\]/.test(next)) return '/';
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  if (!url || url.origin !== location.origin || /^\/(?:api|login)(?:\/|$)/.test(url.pathname)) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
