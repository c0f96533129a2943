import type { Knex, Launch, PluginApi } from '@tapline/plugin-sdk';
import { organizationOf } from './context.ts';
import type { Hit } from './judge.ts';

/** For what launches a waiver holds. */
export const scopes = ['template', 'inventory', 'organization', 'everything'] as const;
export type Scope = (typeof scopes)[number];

export interface Waiver {
  id: number;
  policy_id: number;
  reason: string;
  /** ISO 8601 */
  expires: string;
}

export type WaivableHit = Hit & { waiver?: Waiver };

/** What would deny. What is only tried needs no waiver. */
const denies = ({ decision, policy }: Hit): boolean => decision === 'deny' && !policy.shadow;

/** The denials with the waiver that holds for the launch now; a statement only where there are denials. */
export async function waive(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  launch: Launch,
  { hits, now }: { hits: readonly Hit[]; now: Date },
): Promise<WaivableHit[]> {
  const policies = hits.filter(denies).map(({ policy }) => policy.id);
  if (!policies.length) return [...hits];
  const { template, uses } = launch;
  // the one that lasts longest tells until when
  const waivers: Waiver[] = await db(table('waivers'))
    .distinctOn('policy_id')
    .whereIn('policy_id', policies)
    .where('expires', '>', now)
    .where((scope: Knex.QueryBuilder) => {
      scope.where({ scope: 'everything' });
      if (template) scope.orWhere({ scope: 'template', unified_job_template_id: template.id });
      if (uses.inventory) scope.orWhere({ scope: 'inventory', inventory_id: uses.inventory.id });
      const organization = organizationOf(launch);
      if (organization !== null) scope.orWhere({ scope: 'organization', organization_id: organization });
    })
    .orderBy([{ column: 'policy_id' }, { column: 'expires', order: 'desc' }])
    .select('id', 'policy_id', 'reason', 'expires');
  return hits.map((hit) => {
    const waiver = denies(hit) ? waivers.find(({ policy_id: policy }) => policy === hit.policy.id) : undefined;
    return waiver ? { ...hit, waiver } : hit;
  });
}
