import { registerHooks } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Run as a program: boots the real core with the plugins that TAPLINE_PLUGINS names and prints, one per line, every
 * trace that a plugin could leave: modules, routes, description, settings, tasks, clock, taps, navigation, health, tables.
 */

const modules = new Set<string>();
registerHooks({
  load(url, context, next) {
    const [, plugin] = /\/plugins\/([^/]+)\/(?!node_modules)/.exec(url) ?? [];
    if (plugin !== undefined && !/\/(core|test)\/plugins\//.test(url)) modules.add(plugin);
    return next(url, context);
  },
});

const { settingCategories } = await import('../../core/settings/categories.ts');
const { bootWith } = await import('../support/plugins.ts');
const { until } = await import('../support/until.ts');
// what the engine is leaves no trace, and asking it takes as long as the rest of the start
const env = { TAPLINE_PLUGINS: process.env.TAPLINE_PLUGINS ?? '', ENGINE_COMMAND: '/bin/false' };
const service = await bootWith({ env });

/** `{ a: [{ b: 1 }] }` → `a.0.b = 1` */
function* leaves(value: unknown, at: string): Generator<string> {
  if (typeof value !== 'object' || value === null || !Object.keys(value).length)
    yield `${at} = ${JSON.stringify(value)}`;
  else for (const [key, inner] of Object.entries(value)) yield* leaves(inner, `${at}.${key}`);
}

const rows = async (sql: string): Promise<string[]> =>
  (await service.database.db.raw(sql)).rows.map((row: object) => Object.values(row).join(' '));
const of = (kind: string, names: Iterable<string>) => [...names].map((name) => `${kind} ${name}`);
const listed = async (path: string, key: string) =>
  (await service.get(`${path}?page_size=200`)).body.results.map((one: any) => one[key]);

try {
  const { catalog, registries } = service.services;
  const settings = (await service.request('OPTIONS', 'settings/all/')).body.actions.GET;
  // the queue enters what it knows when it starts; a task that was enqueued before is entered alone
  const known = async () => [
    await rows('select identifier from tapline_jobs._private_tasks order by 1'),
    await rows('select identifier from tapline_jobs._private_known_crontabs order by 1'),
  ];
  let before = '';
  await until(async () => {
    const entered = await known();
    const settled = entered.every(({ length }) => length > 1) && JSON.stringify(entered) === before;
    before = JSON.stringify(entered);
    if (!settled) await delay(250);
    return settled;
  });
  const front = await service.get('/', { auth: null, headers: { accept: 'text/html' } });
  const health = await service.get('/readyz?verbose', { auth: null });
  const traces = [
    ...of('module', modules),
    ...of(
      'route',
      catalog.routes.map(({ path, endpoints }) => `${path} ${Object.keys(endpoints).join(' ')}`),
    ),
    ...leaves((await service.get('openapi.json')).body, 'openapi'),
    ...leaves((await service.get('/api/v2/')).body, 'root'),
    ...leaves(settings, 'setting'),
    // several plugins may have settings on a page that core names; each of them is a trace of its own
    ...of(
      'page of settings',
      (await listed('settings/', 'slug')).filter((slug: string) => !Object.hasOwn(settingCategories, slug)),
    ),
    ...of('task', await rows('select identifier from tapline_jobs._private_tasks')),
    ...of('cron', await rows('select identifier from tapline_jobs._private_known_crontabs')),
    ...(await service.get('hooks/')).body.results.flatMap((hook: any) =>
      hook.taps.map((tap: any) => `tap ${hook.hook ?? hook.name} ${tap.plugin} ${tap.tap ?? tap.name}`),
    ),
    ...of('navigation', await listed('navigation/', 'path')),
    ...of('page of the console', await listed('console_pages/', 'path')),
    ...of('plugin', await listed('plugins/', 'id')),
    ...of(
      'group',
      registries.all('groups').map(({ item }) => item.name),
    ),
    ...of('health', Object.keys(health.body.plugins ?? {})),
    ...of('schema', await rows(`select nspname from pg_namespace where nspname like 'plugin%'`)),
    `front page ${front.status} ${front.headers.get('content-type')}`,
  ];
  // whole before the end: what waits in a pipe is lost with the process
  await new Promise((resolve) => process.stdout.write(`${traces.join('\n')}\n`, resolve));
} finally {
  await service.stop();
}
process.exit();
