import type { Launch, PluginApi } from '@tapline/plugin-sdk';
import { type LaunchContext, organizationOf } from './context.ts';
import type { WaivableHit } from './waive.ts';

export type StoredHit = WaivableHit & { id: number };

/** One row for each hit, and what policies tell of themselves, in one transaction. A row outlives its policy and its run. */
export async function storeDecisions(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  launch: Launch,
  { hits, context }: { hits: readonly WaivableHit[]; context: LaunchContext },
): Promise<StoredHit[]> {
  if (!hits.length) return [];
  const { run, template, actor } = launch;
  const rows = hits.map(({ policy, decision, messages, waiver }) => ({
    policy_id: policy.id,
    policy_name: policy.name,
    organization_id: organizationOf(launch),
    decision,
    shadow: policy.shadow,
    waived: waiver !== undefined,
    waiver_id: waiver?.id ?? null,
    message: messages.join('; '),
    unified_job_id: run.id,
    unified_job_template_id: template?.id ?? null,
    triggered_by_id: actor?.id ?? null,
    context: JSON.stringify(context),
  }));
  return db.transaction(async (trx) => {
    const policies = hits.map(({ policy: { id } }) => id).toSorted((a, b) => a - b);
    // in the order of their numbers, so that two launches do not wait for each other; one that was deleted meanwhile has no row
    const there: number[] = await trx(table('policies')).whereIn('id', policies).orderBy('id').forUpdate().pluck('id');
    const waivers = rows.flatMap(({ waiver_id: id }) => (id === null ? [] : [id]));
    const held: (number | null)[] = waivers.length
      ? await trx(table('waivers')).whereIn('id', waivers).orderBy('id').forShare().pluck('id')
      : [];
    const ids: { id: number }[] = await trx(table('decisions'))
      .insert(
        rows.map((row) => ({
          ...row,
          policy_id: there.includes(row.policy_id) ? row.policy_id : null,
          waiver_id: held.includes(row.waiver_id) ? row.waiver_id : null,
        })),
      )
      .returning('id');
    await trx(table('policies'))
      .whereIn('id', policies)
      .update({
        trigger_count: trx.raw('trigger_count + 1'),
        last_triggered_at: trx.fn.now(),
        last_evaluated_at: trx.fn.now(),
      });
    return hits.map((hit, index) => ({ ...hit, id: ids[index]!.id }));
  });
}
