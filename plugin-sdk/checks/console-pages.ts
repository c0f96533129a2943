import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConsolePage, NavigationEntry } from '../api.ts';
import { navigationKey, navigationProblems } from './navigation.ts';

/** Apart from the page itself, whose address the console answers. */
export const pageFiles = (path: string): string => `/plugin-pages${navigationKey(path)}/`;

/** How it stands in a menu, whether it does or not. */
export const entryOf = ({ path, title, nav = {} }: ConsolePage): NavigationEntry => ({ path, label: title, ...nav });

/** The address of a module as browsers ask for it; null where it is not beside the page's or below. */
export function moduleAddress({ path, module: own }: ConsolePage, module: URL = own): string | null {
  const folder = new URL('./', own).href;
  return module.href.startsWith(folder) ? pageFiles(path) + module.href.slice(folder.length) : null;
}

/** What is wrong with pages of the console; nothing where they can be shown. */
export function consolePageProblems(page: ConsolePage): string[] {
  const { panels = [] } = page;
  return [
    ...navigationProblems(entryOf(page)),
    ...panels.flatMap(({ on, title, order, ...panel }, i) => [
      ...(/^[a-z][a-z0-9_]*$/.test(on) ? [] : [`panels.${i}.on must be the type of a record, like "host"`]),
      ...(/^[A-Za-z_$][\w$]*$/.test(panel.export) ? [] : [`panels.${i}.export must be the name of an export`]),
      // its title and order are held to the same as an entry's
      ...navigationProblems({ path: '/', label: title, ...(order !== undefined && { order }) }).map(
        (problem) => `panels.${i}: ${problem}`,
      ),
      ...(moduleAddress(page, panel.module) === null
        ? [`panels.${i}.module must lie in the folder of the page's module, or below`]
        : []),
    ]),
  ];
}

/** What the package does not bring along; undefined where nothing is missing. */
export function missingModule({ module, panels = [] }: ConsolePage): string | undefined {
  const missing = [module, ...panels.flatMap((panel) => panel.module ?? [])].find(
    (one) => one.protocol !== 'file:' || !statSync(one, { throwIfNoEntry: false })?.isFile(),
  );
  if (!missing) return undefined;
  if (missing.protocol !== 'file:') return `module ${missing.href} is no file of the package`;
  return `${fileURLToPath(missing)} is missing: build the module first, and let the package bring it along with its folder`;
}
