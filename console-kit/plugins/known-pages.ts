import { matchRoute, type Route } from '../router.ts';
import { pluginPagesAt } from './plugin-pages.ts';

let own: readonly Route[] = [];

/** The console's own pages, told once. */
export const makeRoutesKnown = (routes: readonly Route[]): void => void (own = routes);

/** Whether an address leads to a page of the console or of a plugin that is on. */
export function isPage(address: string): boolean {
  const [path = ''] = address.split('?');
  return Boolean(pluginPagesAt(path) || matchRoute(own, path));
}
