import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

export interface Route {
  /** `/jobs/:id` */
  pattern: string;
  page: ComponentType<{ params: Record<string, string> }>;
}

const here = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal(here());

addEventListener('popstate', () => void (place.value = here()));

export function go(to: string, { replace = false } = {}): void {
  const url = new URL(to, location.origin);
  // only ever to a page of ours
  if (url.origin !== location.origin) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
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
