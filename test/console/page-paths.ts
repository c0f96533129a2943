import { globSync, readFileSync } from 'node:fs';
import { runKinds } from '../../console-kit/resources/run-kinds.ts';
import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

const web = new URL('../../plugins/console/web/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, web), 'utf8');
const named = (text: string, key: string) => new RegExp(`^ {2}${key}: '(\\w+)',$`, 'm').exec(text)?.[1];

/** What the registry has: of each resource its path, that of its list in the API, and whether forms change it. */
const resources = globSync('*/registry.ts', { cwd: web })
  .flatMap((registry) => [...read(registry).matchAll(/^import \{ [\w, ]+ \} from '\.\/(.+)';$/gm)])
  // a file may hold several that belong together
  .flatMap(([, file]) => read(`resources/${file}`).split(/^export /m))
  .flatMap((text) => {
    const path = named(text, 'path');
    return path ? [{ path, api: named(text, 'api') ?? path, readOnly: text.includes('  readOnly: true,') }] : [];
  });

/** The patterns of `web/routes.ts`, but for those of resources and runs: `/settings/:slug`. */
const single = [...read('routes.ts').matchAll(/pattern: '([^']+)'/g)].map(([, pattern]) => pattern!);

/** The address of each page of the console, with a record where it shows one; throws where there is none to show. */
export async function everyPage(stage: Stage, known: Record<string, string>): Promise<string[]> {
  const first = (list: string) => firstOf(stage, list);
  const ofResources = await Promise.all(
    resources.map(async ({ path, api, readOnly }) => {
      const id = await first(api);
      return [`/${path}`, `/${path}/${id}`, ...(readOnly ? [] : [`/${path}/new`, `/${path}/${id}/edit`])];
    }),
  );
  const others = single.map((pattern) => {
    const path = pattern.includes(':') ? known[pattern] : pattern;
    if (path === undefined) throw new Error(`no address is said for ${pattern}`);
    return path;
  });
  // one page for all kinds: of those that there are here
  const runs = await Promise.all(
    Object.values(runKinds).map(async ({ path }) => {
      const { body } = await stage.service.get(`${path}/?page_size=1`);
      return body.count ? [`/${path}/${body.results[0].id}`] : [];
    }),
  );
  return [...others, ...ofResources.flat(), ...runs.flat()];
}

/** Lists of the API behind pages of plugins that have another path. */
const apis: Record<string, string> = {
  '/drift/rules': 'drift_alert_rules',
  '/drift/alerts': 'drift_alerts',
  '/drift/snapshots': 'fact_snapshots',
  '/drift/hosts': 'hosts',
};

/** The address of each page that plugins bring; `ids` has the records that are not the first of their list. Read where modules can be loaded. */
export async function pluginPages(stage: Stage, page: Page, ids: Record<string, number>): Promise<string[]> {
  const { body } = await stage.service.get('console_pages/?page_size=200');
  const modules = body.results.map(({ module }: { module: string }) => module).filter(Boolean);
  const patterns: string[] = await page.evaluate(
    async (all: string[]) =>
      (await Promise.all(all.map((module) => import(module)))).flatMap(({ routes = [] }) =>
        routes.map(({ pattern }: { pattern: string }) => pattern),
      ),
    modules,
  );
  return Promise.all(
    patterns
      .filter((pattern) => !pattern.includes('/:part'))
      .map(async (pattern) => {
        const [list = ''] = pattern.split('/:');
        if (!pattern.includes(':')) return pattern;
        return pattern.replace(':id', String(ids[list] ?? (await firstOf(stage, apis[list] ?? list.slice(1)))));
      }),
  );
}

async function firstOf({ service }: Stage, list: string): Promise<number> {
  const { body } = await service.get(`${list}/?page_size=1&order_by=id`);
  if (!body.results?.length) throw new Error(`there is none of ${list} whose page could be looked at`);
  return body.results[0].id;
}
