import type { Knex } from '@tapline/plugin-sdk';
import type { HostPlan } from './plans.ts';

const mostBytes = 2 << 20;
const mostHosts = 25;

/**
 * Hosts whose facts are worked on together: few statements where facts are small, little memory where they are large. Sizes
 * are those in the database, which are smaller than the texts.
 */
export async function* portions(trx: Knex, plans: readonly HostPlan[]): AsyncGenerator<HostPlan[]> {
  const hashes = plans.flatMap(({ chain }) => chain.steps.map(({ hash }) => hash));
  const { rows } = await trx.raw(
    `select hash, pg_column_size(document) as bytes from core_facts where hash = any (?)`,
    [hashes],
  );
  const sizes = new Map<string, number>(rows.map(({ hash, bytes }: { hash: string; bytes: number }) => [hash, bytes]));
  let portion: HostPlan[] = [];
  let bytes = 0;
  for (const plan of plans) {
    const size = plan.chain.steps.reduce((sum, { hash }) => sum + (sizes.get(hash) ?? 0), 0);
    if (portion.length && (bytes + size > mostBytes || portion.length >= mostHosts)) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(plan);
    bytes += size;
  }
  if (portion.length) yield portion;
}
