import type { Resource } from '@tapline/plugin-sdk';

interface Naming {
  /** `<name>++<organization.name>` by path */
  formats: Record<string, string>;
  /** by path: own parts, and the links whose targets' names follow */
  nodes: Record<string, { fields: string[]; adj_list: [string, string][] }>;
}

/** How objects may be called in addresses in place of their ids. */
export function namedUrls(resources: readonly Resource[]): Naming {
  const byType = new Map(resources.map((resource) => [resource.type, resource]));
  const targetOf = ({ fields }: Resource, name: string) => byType.get(fields[name]?.target ?? '');
  const format = (resource: Resource, at: string): string => {
    const naming = resource.naming ?? [];
    const own = naming.filter((name) => !targetOf(resource, name)).map((name) => `<${at}${name}>`);
    const links = naming.flatMap((name) => {
      const target = targetOf(resource, name);
      return target ? [format(target, `${name}.`)] : [];
    });
    return [own.join('+'), ...links].join('++');
  };
  const named = resources.filter(({ naming }) => naming?.length);
  return {
    formats: Object.fromEntries(named.map((resource) => [resource.path, format(resource, '')])),
    nodes: Object.fromEntries(
      named.map((resource) => {
        const naming = resource.naming!;
        const fields = naming.filter((name) => !targetOf(resource, name));
        const links = naming.flatMap((name): [string, string][] => {
          const target = targetOf(resource, name);
          return target ? [[name, target.path]] : [];
        });
        return [resource.path, { fields, adj_list: links }];
      }),
    ),
  };
}
