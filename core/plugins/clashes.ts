import type { Resource } from '@tapline/plugin-sdk';
import { pathShape } from '../engine/routes.ts';
import { callOf } from './door.ts';
import { callError, type PluginError } from './error.ts';
import type { Registries } from './registries.ts';

/** What core has already, seen from a plugin's call. @throws PluginError for the first that clashes or leads nowhere */
export function assertFits(registries: Registries, core: readonly Resource[]): void {
  const types = new Set(core.map(({ type }) => type));
  const paths = new Set(core.map(({ path }) => path));
  for (const { plugin, item } of registries.all('resources')) {
    const taken = types.has(item.type) ? `the type ${item.type}` : paths.has(item.path) && `the path ${item.path}`;
    if (taken)
      throw callError(plugin, callOf('resource', item.type), `clashes: core has ${taken}`, 'choose another name');
  }
  const known = new Set([...types, ...registries.all('resources').map(({ item }) => item.type)]);
  const narrowing = [
    ...registries.all('guards').map(({ plugin, item }) => ({
      plugin,
      type: item.resource,
      call: callOf('guard', item.resource, item.operation),
    })),
    ...registries
      .all('restrictions')
      .map(({ plugin, item }) => ({ plugin, type: item.resource, call: callOf('restrict', item.resource) })),
  ];
  for (const { plugin, type, call } of narrowing)
    if (!known.has(type))
      throw callError(
        plugin,
        call,
        'names a type that nobody declares',
        'take the type of a resource in the singular, like "host", or list the plugin that declares it under "requires"',
      );
}

/** The same for routes: their entries in the root document, and the types that they say they list. */
export function assertRoutesFit(
  registries: Registries,
  core: { roots: ReadonlySet<string>; types: ReadonlySet<string> },
): void {
  for (const { plugin, item } of registries.all('routes')) {
    const { path, root, lists } = item;
    if (root !== undefined && core.roots.has(root))
      throw callError(
        plugin,
        callOf('route', path),
        `clashes: core has the entry ${root} of /api/v2/`,
        'choose another root',
      );
    if (lists !== undefined && !core.types.has(lists))
      throw callError(plugin, callOf('route', path), `lists ${lists}, a type that nobody declares`, 'correct its name');
  }
}

/** Two routes of one path: told as the fault of the plugin that wants one of them. */
export function blameForPaths(registries: Registries, paths: readonly string[]): PluginError | undefined {
  for (const path of paths) {
    const owner = registries.ownerOf('path', pathShape(path));
    if (owner === undefined) continue;
    return callError(owner, callOf('route', path), 'clashes: there is a route of this path', 'choose another path');
  }
  return undefined;
}
