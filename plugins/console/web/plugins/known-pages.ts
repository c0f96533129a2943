import { matchRoute, pluginPagesAt } from '@tapline/console-kit/shell';
import { routes } from '../routes.ts';

/** Whether a path leads to a page of the console or of a plugin that is on. */
export const isPage = (path: string): boolean => Boolean(pluginPagesAt(path) || matchRoute(routes, path));
