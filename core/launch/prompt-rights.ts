import type { Actor } from '@tapline/plugin-sdk';
import { forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type NeededRight, missingRights } from '../rbac/rights.ts';
import type { LaunchTemplate } from './load.ts';

interface Named {
  inventory?: number;
  credentials?: readonly number[];
  instance_groups?: readonly number[];
}

/** What a launch names that the template does not name itself: only that needs rights of whoever launches (contract/jobs.md §4.4). */
export function foreignObjects(
  template: LaunchTemplate,
  given: Named,
): { type: 'inventory' | 'credential' | 'instance_group'; id: number }[] {
  const own = new Set(template.credentials.map(({ id }) => id));
  const credentials = (given.credentials ?? []).filter((id) => !own.has(id));
  const inventory = given.inventory != null && given.inventory !== template['inventory_id'] ? [given.inventory] : [];
  return [
    ...inventory.map((id) => ({ type: 'inventory' as const, id })),
    ...credentials.map((id) => ({ type: 'credential' as const, id })),
    ...(given.instance_groups ?? []).map((id) => ({ type: 'instance_group' as const, id })),
  ];
}

/** Those of the named objects that the actor does not see: for it they do not exist. */
export async function unseen(
  db: Knex,
  actor: Actor | null,
  template: LaunchTemplate,
  given: Named,
): Promise<Set<string>> {
  const missing = await missingRights(db, actor, rights(template, given, 'read_role'));
  return new Set(missing.map(({ type, id }) => `${type}.${id}`));
}

/**
 * @throws ApiError 403 when the actor may not use one of the objects. A relaunch may also rest on the right to run whatever the
 * organization has: `organizationId` names the one that counts.
 */
export async function assertPromptRights(
  db: Knex,
  actor: Actor | null,
  { template, accepted, organizationId }: { template: LaunchTemplate; accepted: Named; organizationId?: number | null },
): Promise<void> {
  const missing = await missingRights(db, actor, rights(template, accepted, 'use_role'));
  if (!missing.length || (await runsEverything(db, actor, organizationId))) return;
  throw forbidden(`You do not have the use right on ${missing[0]!.type} ${missing[0]!.id}.`);
}

export async function runsEverything(db: Knex, actor: Actor | null, organizationId?: number | null): Promise<boolean> {
  if (actor?.is_superuser) return true;
  if (organizationId == null) return false;
  return !(await missingRights(db, actor, [{ type: 'organization', field: 'execute_role', id: organizationId }]))
    .length;
}

const rights = (template: LaunchTemplate, named: Named, field: string): NeededRight[] =>
  foreignObjects(template, named).map(({ type, id }) => ({ type, field, id }));
