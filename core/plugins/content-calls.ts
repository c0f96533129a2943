import type {
  Extension,
  NavigationEntry,
  Pages,
  PluginRoute,
  Resource,
  Rule,
  SettingContribution,
} from '@tapline/plugin-sdk';
import { pathShape } from '../engine/routes.ts';
import { checkValue } from '../settings/check-value.ts';
import { schemas } from './arguments.ts';
import { callOf, type Door } from './door.ts';
import { reasonOf } from './error.ts';
import { inNameOf } from './in-name-of.ts';
import { tableOf } from './schema-name.ts';

/** Names under which clients find lists in the document at /api/v2/. */
const rootOf = (name: string | undefined) => (name === undefined ? [] : [['entry of /api/v2/', name] as const]);

/** What callers reach: resources, routes, pages and the way to them. */
export const contentCalls = ({ id, contribute }: Door) => ({
  resource: (resource: Resource) =>
    void contribute({
      call: callOf('resource', resource?.type),
      kind: 'resources',
      arguments: [[schemas.resource, resource]],
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
      claims: () => [['folder of pages at', pages.path]],
      item: () => pages,
    }),
  nav: (entry: NavigationEntry) =>
    void contribute({
      call: callOf('nav', entry?.path),
      kind: 'navigation',
      arguments: [[schemas.navigation, entry]],
      claims: () => [['navigation entry', entry.path]],
      item: () => entry,
    }),
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
          : undefined,
      claims: () => [
        ...Object.keys(extension.fields ?? {}).map((name) => [`field of ${type}`, name] as const),
        ...Object.keys(extension.sublists ?? {}).map((name) => [`sublist of ${type}`, name] as const),
      ],
      item: () => ({
        type,
        extension: extension.table ? { ...extension, table: tableOf(id, extension.table) } : extension,
      }),
    }),
});

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
    get: (key: string) => services(callOf('settings.get', key)).setting(key),
  },
});
