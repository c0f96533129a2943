import type { Resource } from '@tapline/plugin-sdk';
import type { DeclaredExtension } from '../descriptors/extend/declared.ts';
import type { OwnRoute } from '../descriptors/routes/routes.ts';
import { callOf } from './door/door.ts';
import type { Registries } from './registries.ts';

export const pluginResources = (registries: Registries | undefined): Resource[] =>
  registries?.all('resources').map(({ item }) => item) ?? [];

export const pluginRoutes = (registries: Registries | undefined): OwnRoute[] =>
  registries?.all('routes').map(({ plugin, item }) => ({ ...item, plugin })) ?? [];

export const pluginExtensions = (registries: Registries): DeclaredExtension[] =>
  registries.all('extensions').map(({ plugin, item }) => ({ plugin, ...item }));

/** Panels add to the page of a type, and nothing to the type. */
export const pluginPanels = (registries: Registries): DeclaredExtension[] =>
  registries
    .all('consolePages')
    .flatMap(({ plugin, item }) => (item.panels ?? []).map(({ on }) => ({ plugin, type: on, extension: {} })));

/** Types of plugins, with whose they are. */
export const pluginOwners = (registries: Registries): Map<string, string> =>
  new Map(registries.all('resources').map(({ plugin, item }) => [item.type, plugin]));

/** By which call of which plugin there is a type. */
export interface DeclaredBy {
  plugin: string;
  call: string;
}

/** All types that plugins bring, those of their runs and templates as well. */
export function pluginTypes(registries: Registries): Map<string, DeclaredBy> {
  const types = new Map<string, DeclaredBy>();
  for (const { plugin, item } of registries.all('resources'))
    types.set(item.type, { plugin, call: callOf('resource', item.type) });
  for (const { plugin, item } of registries.all('templateKinds'))
    types.set(item.type, { plugin, call: callOf('templateKind', item.type) });
  for (const { plugin, item } of registries.all('runKinds'))
    for (const type of [item.kind, ...(item.resources ?? []).map((resource) => resource.type)])
      types.set(type, { plugin, call: callOf('runKind', item.kind) });
  return types;
}
