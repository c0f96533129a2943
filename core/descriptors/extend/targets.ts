import type { Resource } from '@tapline/plugin-sdk';
import { type DeclaredExtension, extensionFault } from './declared.ts';

export interface Extended {
  resources: readonly Resource[];
  extensions: readonly DeclaredExtension[];
  /** types that plugins declared, with the plugin */
  owners?: ReadonlyMap<string, string>;
}

/** An extension with the resource that it adds to. */
export interface Targeted {
  declared: DeclaredExtension;
  target: Resource;
  /** the plugin whose resource it is; undefined where it is core's */
  owner: string | undefined;
}

/** Extensions of types that nobody declares: the plugin whose they are may be off, and until it is on they add nothing. */
export const idleExtensions = ({ resources, extensions }: Extended): DeclaredExtension[] =>
  extensions.filter(({ type }) => !resources.some((resource) => resource.type === type));

/**
 * The resources that extensions add to.
 * @throws PluginError for a type in the plural, and for what cannot be extended
 */
export function extensionTargets({ resources, extensions, owners = new Map() }: Extended): Targeted[] {
  const byType = new Map(resources.map((resource) => [resource.type, resource]));
  return extensions.flatMap((declared) => {
    const target = byType.get(declared.type);
    const owner = owners.get(declared.type);
    if (!target) return assertNoPlural(declared, byType);
    if (owner === declared.plugin)
      throw extensionFault(declared, 'extends a resource of its own', 'put the fields into its descriptor');
    if (target.variants)
      throw extensionFault(
        declared,
        'extends a list of several types, whose rows are shown as their own types are',
        `extend ${target.variants.join(', ')} instead`,
      );
    return { declared, target, owner };
  });
}

function assertNoPlural(declared: DeclaredExtension, types: ReadonlyMap<string, Resource>): [] {
  const singular = [declared.type.replace(/s$/, ''), declared.type.replace(/ies$/, 'y')].find((type) =>
    types.has(type),
  );
  if (singular)
    throw extensionFault(
      declared,
      'names a type that nobody declares',
      `take the type of a resource, in the singular: perhaps "${singular}"`,
    );
  return [];
}
