import type { LaunchCredential } from './passwords.ts';

const absent = (id: number) => `Invalid pk "${id}" - object does not exist.`;

interface Found {
  credentials: readonly LaunchCredential[];
  inventory: unknown;
  instanceGroups: readonly number[];
  labels: readonly number[];
}

/** Ids that name nothing. Environments do not exist yet, so every id of theirs is one. */
export function missingReferences(
  given: Record<string, any>,
  { credentials, inventory, instanceGroups, labels }: Found,
): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  if (given['inventory'] !== undefined && !inventory) errors['inventory'] = [absent(given['inventory'])];
  const known = new Set(credentials.map(({ id }) => id));
  const unknown = (given['credentials'] ?? []).filter((id: number) => !known.has(id));
  if (unknown.length) errors['credentials'] = unknown.map(absent);
  if (given['execution_environment'] !== undefined)
    errors['execution_environment'] = [absent(given['execution_environment'])];
  const noLabels = (given['labels'] ?? []).filter((id: number) => !labels.includes(id));
  if (noLabels.length) errors['labels'] = noLabels.map(absent);
  const groups = (given['instance_groups'] ?? []).filter((id: number) => !instanceGroups.includes(id));
  if (groups.length) errors['instance_groups'] = groups.map(absent);
  return errors;
}
