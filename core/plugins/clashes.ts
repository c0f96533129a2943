import type { Action, Answered, Resource } from '@tapline/plugin-sdk';
import { pathShape, pathsOf } from '../descriptors/routes/paths.ts';
import { callError } from '../observe/plugin-error.ts';
import { pluginTypes } from './content.ts';
import { callOf } from './door/door.ts';
import type { Registries } from './registries.ts';

/**
 * What core has already, seen from a plugin's call; `added` are the resources of the plugins' kinds of runs.
 * @throws PluginError for the first that clashes or leads nowhere
 */
export function assertFits(registries: Registries, core: readonly Resource[], added: readonly Resource[]): void {
  const types = new Set(core.map(({ type }) => type));
  const paths = new Set(core.map(({ path }) => path));
  const declaredBy = pluginTypes(registries);
  for (const { type, path } of [...registries.all('resources').map(({ item }) => item), ...added]) {
    const taken = types.has(type) ? `the type ${type}` : paths.has(path) && `the path ${path}`;
    const by = declaredBy.get(type);
    if (taken && by) throw callError(by.plugin, by.call, `clashes: core has ${taken}`, 'choose another name');
  }
  const known = new Set([...types, ...declaredBy.keys()]);
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

interface CoreNames {
  /** entries of the root document */
  roots: ReadonlySet<string>;
  types: ReadonlySet<string>;
  /** served by routes of core */
  paths: readonly string[];
}

/** The same for paths: their entries in the root document, the types that they answer with, and that each is there once. */
export function assertRoutesFit(registries: Registries, resources: readonly Resource[], core: CoreNames): void {
  for (const { plugin, item } of registries.all('routes')) {
    const { path, root } = item;
    if (root !== undefined && core.roots.has(root))
      throw callError(
        plugin,
        callOf('route', path),
        `clashes: core has the entry ${root} of /api/v2/`,
        'choose another root',
      );
    assertAnswersKnown(plugin, callOf('route', path), core.types, [item]);
  }
  for (const { plugin, item } of registries.all('resources'))
    assertAnswersKnown(plugin, callOf('resource', item.type), core.types, actionsOf(item));
  for (const { plugin, item } of registries.all('extensions'))
    assertAnswersKnown(plugin, callOf('extend', item.type), core.types, actionsOf(item.extension));
  assertPathsFree(registries, resources, core);
}

const actionsOf = ({ actions, listActions }: Pick<Resource, 'actions' | 'listActions'>) =>
  Object.values({ ...actions, ...listActions });

function assertAnswersKnown(
  plugin: string,
  call: string,
  types: ReadonlySet<string>,
  answering: readonly Pick<Action, 'answers' | 'lists'>[],
): void {
  const listed = answering.find(({ lists }) => lists !== undefined && !types.has(lists));
  if (listed) throw callError(plugin, call, `lists ${listed.lists}, a type that nobody declares`, 'correct its name');
  const told = answering.flatMap(({ answers = {} }) => Object.values(answers).flat() as Answered[]);
  const unknown = told.find(({ type }) => type !== undefined && !types.has(type));
  if (unknown)
    throw callError(plugin, call, `answers with ${unknown.type}, a type that nobody declares`, 'correct its name');
}

/** One path is answered by one route: whoever wants one of core, or of a plugin before it, is told. */
function assertPathsFree(registries: Registries, resources: readonly Resource[], { types, paths }: CoreNames): void {
  const declaredBy = pluginTypes(registries);
  const extended = registries.all('extensions').flatMap(({ plugin, item: { type, extension } }) => {
    const target = resources.find((resource) => resource.type === type);
    const { sublists, actions, listActions } = extension;
    const added = { methods: noneOfItself, sublists, actions, listActions };
    const paths = target ? pathsOf({ path: target.path, ...added }, types) : [];
    return paths.map((path) => ({ path, plugin, call: callOf('extend', type) }));
  });
  const all: { path: string; plugin?: string; call?: string }[] = [
    ...paths.map((path) => ({ path })),
    ...resources.flatMap((resource) =>
      pathsOf(resource, types).map((path) => ({ path, ...declaredBy.get(resource.type) })),
    ),
    ...extended,
    ...registries.all('routes').map(({ plugin, item }) => ({
      path: item.path,
      plugin,
      call: callOf('route', item.path),
    })),
  ];
  const seen = new Set<string>();
  // core's own come first, so that whoever clashes with them is a plugin
  for (const { path, plugin, call } of all.toSorted(
    (a, b) => Number(a.call !== undefined) - Number(b.call !== undefined),
  )) {
    const shape = pathShape(path);
    if (seen.has(shape) && plugin !== undefined)
      throw callError(plugin, call!, `clashes: there is a route of this path, ${path}`, 'choose another path');
    seen.add(shape);
  }
}

const noneOfItself = { list: [], detail: [] } as const;
