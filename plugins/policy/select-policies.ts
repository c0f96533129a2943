import type { Knex, Launch, PluginApi } from '@tapline/plugin-sdk';
import { organizationOf } from './context.ts';
import type { Mode, Policy, ResourceType } from './policy.ts';

export interface Selected {
  policies: Policy[];
  /** the organization's */
  mode: Mode;
  inventoryKind: string | null;
  organizationName: string | null;
}

type Found = Policy & { mode: Mode; inventory_kind: string | null; organization_name: string | null };

/** Whatever may judge the launch, its own and everybody's, with all that has to be looked up: one statement. */
export async function selectPolicies(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  launch: Launch,
  type: ResourceType,
): Promise<Selected | undefined> {
  const organization = organizationOf(launch);
  if (organization === null) return undefined;
  const found: Found[] = await db(`${table('policies')} as p`)
    .join(`${table('organization_settings')} as s`, 's.organization_id', db.raw('?', [organization]))
    .join('core_organizations as o', 'o.id', 's.organization_id')
    .whereNot('s.policy_enforcement', 'none')
    .where('p.enabled', true)
    .whereNot('p.enforcement', 'none')
    .where(
      (own: Knex.QueryBuilder) => void own.whereNull('p.organization_id').orWhere('p.organization_id', organization),
    )
    .whereRaw(`(p.applies_to = '[]'::jsonb or p.applies_to @> ?::jsonb)`, [JSON.stringify([type])])
    .orderBy('p.id')
    .select(
      'p.id',
      'p.name',
      'p.organization_id',
      'p.rego_module',
      'p.package_path',
      'p.enforcement',
      'p.shadow',
      's.policy_enforcement as mode',
      'o.name as organization_name',
      db.raw('(select kind from core_inventories where id = ?) as inventory_kind', [launch.uses.inventory?.id ?? null]),
    );
  const [first] = found;
  if (!first) return undefined;
  return {
    policies: found,
    mode: first.mode,
    inventoryKind: first.inventory_kind,
    organizationName: first.organization_name,
  };
}
