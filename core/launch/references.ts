import type { LaunchCredential } from './passwords.ts';

const absent = (id: number) => `Invalid pk "${id}" - object does not exist.`;

interface Found {
  credentials: readonly LaunchCredential[];
  inventory: unknown;
}

/** Ids that name nothing. Labels, environments and instance groups do not exist yet, so every id of theirs is one. */
export function missingReferences(
  given: Record<string, any>,
  { credentials, inventory }: Found,
): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  if (given['inventory'] !== undefined && !inventory) errors['inventory'] = [absent(given['inventory'])];
  const known = new Set(credentials.map(({ id }) => id));
  const unknown = (given['credentials'] ?? []).filter((id: number) => !known.has(id));
  if (unknown.length) errors['credentials'] = unknown.map(absent);
  if (given['execution_environment'] !== undefined)
    errors['execution_environment'] = [absent(given['execution_environment'])];
  for (const key of ['labels', 'instance_groups']) if (given[key]?.length) errors[key] = given[key].map(absent);
  return errors;
}
