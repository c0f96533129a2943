import { type RoleType, type SystemRole, isRoleType, roleDefinitions, systemRoles } from './definitions.ts';

/** How a record names the one whose role reaches it: itself, its organization, or its inventory's organization. */
export type Path = 'self' | 'organization' | 'inventory.organization';

/** Roles that give a role: `fields` of the record at the end of `path`, or system-wide ones. */
export interface Sources {
  paths: Partial<Record<Path, ReadonlySet<string>>>;
  system: ReadonlySet<SystemRole>;
}

const known = new Map<string, Sources>();

/** Every role that gives `field` of a record of this type, itself included. Computed once per field: the table is fixed. */
export function sourcesOf(type: RoleType, field: string): Sources {
  const key = `${type}.${field}`;
  let sources = known.get(key);
  if (!sources) known.set(key, (sources = collect(type, field)));
  return sources;
}

function collect(type: RoleType, field: string): Sources {
  const definition = roleDefinitions[type][field];
  if (!definition)
    throw new Error(`${type} has no role ${field}; it has ${Object.keys(roleDefinitions[type]).join(', ')}`);
  const paths: Partial<Record<Path, Set<string>>> = { self: new Set([field]) };
  const system = new Set<SystemRole>();
  for (const parent of definition.heldBy) {
    if (Object.hasOwn(systemRoles, parent)) {
      system.add(parent as SystemRole);
      continue;
    }
    const dot = parent.lastIndexOf('.');
    const path = dot < 0 ? 'self' : (parent.slice(0, dot) as Path);
    const above = sourcesOf(path === 'self' ? type : 'organization', parent.slice(dot + 1));
    for (const name of above.system) system.add(name);
    for (const [inner, fields] of Object.entries(above.paths)) {
      // an organization's own roles lie at the end of the path that led to it
      const target = path === 'self' ? (inner as Path) : path;
      for (const one of fields) (paths[target] ??= new Set()).add(one);
    }
  }
  return { paths, system };
}

/** The role fields of a `type` record that holding `field` at the end of `path` gives, in their order. */
export function givenBy(type: string, path: Path, field: string): string[] {
  if (!isRoleType(type)) return [];
  return Object.keys(roleDefinitions[type]).filter((own) => sourcesOf(type, own).paths[path]?.has(field));
}

export function givenBySystem(type: string, name: SystemRole): string[] {
  if (!isRoleType(type)) return [];
  return Object.keys(roleDefinitions[type]).filter((own) => sourcesOf(type, own).system.has(name));
}
