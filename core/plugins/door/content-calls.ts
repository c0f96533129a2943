import { basename } from 'node:path';
import {
  type ConsolePage,
  type Extension,
  type NavigationEntry,
  type Pages,
  type PluginRoute,
  type Resource,
  type Rule,
  sameKind,
  type SettingContribution,
} from '@tapline/plugin-sdk';
import {
  consolePageProblems,
  entryOf,
  fieldProblems,
  navigationKey,
  navigationProblems,
  pageFiles,
  resourceProblems,
} from '@tapline/plugin-sdk/checks';
import { pathShape } from '../../descriptors/routes/paths.ts';
import { checkValue } from '../../settings/check-value.ts';
import { schemas } from './arguments.ts';
import { callOf, type Door } from './door.ts';
import { reasonOf } from '../../observe/plugin-error.ts';
import { inNameOf } from './in-name-of.ts';
import { tableOf } from '../data/schema-name.ts';

/** Names under which clients find lists in the document at /api/v2/. */
const rootOf = (name: string | undefined) => (name === undefined ? [] : [['entry of /api/v2/', name] as const]);

const told = (problems: readonly string[]) => (problems.length ? problems.join('; ') : undefined);

/** What callers reach: resources, routes, pages and the way to them. */
export const contentCalls = ({ id, contribute }: Door) => ({
  resource: (resource: Resource) =>
    void contribute({
      call: callOf('resource', resource?.type),
      kind: 'resources',
      arguments: [[schemas.resource, resource]],
      problem: () => told(resourceProblems(resource)),
      claims: () => [
        ['type', resource.type],
        ['path', `/api/v2/${resource.path}/`],
        ...rootOf(resource.root === false ? undefined : resource.root || resource.path),
      ],
      item: () => ({ ...resource, table: tableOf(id, resource.table) }),
    }),
  route: (route: PluginRoute) =>
    void contribute({
      call: callOf('route', route?.path),
      kind: 'routes',
      arguments: [[schemas.route, route]],
      claims: () => [['path', pathShape(route.path)], ...rootOf(route.root)],
      item: () => route,
    }),
  pages: (pages: Pages) =>
    void contribute({
      call: callOf('pages', pages?.path),
      kind: 'pages',
      arguments: [[schemas.pages, pages]],
      claims: () => [
        ['folder of pages at', pages.path],
        ['path', pages.path],
      ],
      item: () => pages,
    }),
  nav: (entry: NavigationEntry) =>
    void contribute({
      call: callOf('nav', entry?.path),
      kind: 'navigation',
      arguments: [[schemas.navigation, entry]],
      problem: () => told(navigationProblems(entry)),
      claims: () => [['navigation entry', navigationKey(entry.path)]],
      item: () => entry,
    }),
});

/** Pages within the console: what it has to know of them, their entry in the menu, and the files beside the module. */
export const pageCall = ({ contribute }: Door) => ({
  page: (page: ConsolePage) => {
    const call = callOf('page', page?.path);
    contribute({
      call,
      kind: 'consolePages',
      arguments: [[schemas.consolePage, page]],
      problem: () => told(consolePageProblems(page)),
      claims: () => [
        ['navigation entry', navigationKey(page.path)],
        ['path', pageFiles(page.path)],
      ],
      item: () => page,
    });
    if (page.nav) contribute({ call, kind: 'navigation', arguments: [], claims: () => [], item: () => entryOf(page) });
    const fallback = basename(page.module.pathname);
    contribute({
      call,
      kind: 'pages',
      arguments: [],
      item: () => ({ path: pageFiles(page.path), folder: new URL('./', page.module), fallback }),
    });
  },
});

/** More on a resource of core. */
export const extensionCalls = ({ id, contribute }: Door) => ({
  extend: (type: string, extension: Extension) =>
    void contribute({
      call: callOf('extend', type),
      kind: 'extensions',
      arguments: [
        [schemas.typeName, type],
        [schemas.extension, extension],
      ],
      problem: () =>
        storesFields(extension) && !extension.table
          ? 'table is needed: stored fields live in a side table that a migration of the plugin makes'
          : told(fieldProblems(extension.fields)),
      claims: () =>
        (Object.keys(singular) as (keyof typeof singular)[]).flatMap((part) =>
          Object.keys(extension[part] ?? {}).map((name) => [`${singular[part]} of ${type}`, name] as const),
        ),
      item: () => ({
        type,
        extension: extension.table ? { ...extension, table: tableOf(id, extension.table) } : extension,
      }),
    }),
});

const singular = {
  fields: 'field',
  sublists: 'sublist',
  actions: 'action',
  listActions: 'list action',
  parameters: 'parameter',
  formats: 'format',
};

const storesFields = ({ fields = {} }: Extension) =>
  Object.values(fields).some(({ type, sql }) => type !== 'computed' && sql === undefined);

/** Nobody checks a default again, and what checks values is tried here first. */
function defaultProblem(plugin: string, setting: SettingContribution): string | undefined {
  try {
    checkValue(inNameOf(plugin, 'settings', setting), setting.default);
    return undefined;
  } catch (error) {
    return `default is none that could be set: ${reasonOf(error)}`;
  }
}

/** What administrators meet: rights by name, and settings. */
export const policyCalls = ({ id, contribute, services }: Door) => ({
  permissions: {
    define: (name: string, rule: Rule): Rule =>
      contribute({
        call: callOf('permissions.define', name),
        kind: 'permissions',
        arguments: [
          [schemas.permission, name],
          [schemas.rule, rule],
        ],
        problem: () =>
          name.startsWith(`${id}.`) && name.length > id.length + 1
            ? undefined
            : `the name must begin with "${id}.", like "${id}.acknowledge"`,
        claims: () => [['permission', name]],
        item: () => ({ name, rule: { ...rule, name } }),
      }).rule,
  },
  settings: {
    define: (setting: SettingContribution) =>
      void contribute({
        call: callOf('settings.define', setting?.key),
        kind: 'settings',
        arguments: [[schemas.setting, setting]],
        problem: () => defaultProblem(id, setting),
        claims: () => [['setting', setting.key]],
        item: () => setting,
      }),
    get: (key: string, otherwise?: unknown) => {
      const value = services(callOf('settings.get', key)).setting(key);
      return sameKind(value, otherwise) ? value : otherwise;
    },
  },
});
