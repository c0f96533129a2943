import type { Knex } from '@tapline/plugin-sdk';
import type { HostPlan } from './plans.ts';

const mostBytes = 2 << 20;
const mostHosts = 25;

/** Bytes of facts by core's hash, as the database has them; none of those that are gone. */
export type Sizes = ReadonlyMap<string, number>;

/** Sizes in the database, which are smaller than the texts. */
export async function sizesOf(trx: Knex, plans: readonly HostPlan[]): Promise<Sizes> {
  const hashes = plans.flatMap(({ chain }) => chain.steps.map(({ hash }) => hash));
  const { rows } = await trx.raw(
    `select hash, pg_column_size(document) as bytes from core_facts where hash = any (?)`,
    [hashes],
  );
  return new Map(rows.map(({ hash, bytes }: { hash: string; bytes: number }) => [hash, bytes]));
}

const bytesOf = ({ chain }: HostPlan, sizes: Sizes) =>
  chain.steps.reduce((sum, { hash }) => sum + (sizes.get(hash) ?? 0), 0);

/**
 * As much of a host's facts as is worked on in one transaction, which stands idle meanwhile: core ends one that does so for a minute,
 * and a host that has much behind it would never get through. The reports of the rest stay, to be asked for again. A state that
 * nobody told of goes with the one that follows on it, whose report brings it: cut between them it could be found again for ever.
 */
export function cutPlan(plan: HostPlan, sizes: Sizes, most = mostBytes): { plan: HostPlan; rest: boolean } {
  const { steps, done } = plan.chain;
  let bytes = 0;
  const end = steps.findIndex(({ hash }, at) => {
    bytes += sizes.get(hash) ?? 0;
    return bytes > most && at > 0 && steps[at - 1]!.run_id !== null;
  });
  if (end < 0) return { plan, rest: false };
  const left = new Set(steps.slice(end).map(({ run_id: run }) => run));
  const chain = { ...plan.chain, steps: steps.slice(0, end), done: done.filter((run) => !left.has(run)) };
  return { plan: { ...plan, chain }, rest: true };
}

/** Hosts whose facts are worked on together: few statements where facts are small, little memory where they are large. */
export function* portionsOf(plans: readonly HostPlan[], sizes: Sizes): Generator<HostPlan[]> {
  let portion: HostPlan[] = [];
  let bytes = 0;
  for (const plan of plans) {
    const size = bytesOf(plan, sizes);
    if (portion.length && (bytes + size > mostBytes || portion.length >= mostHosts)) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(plan);
    bytes += size;
  }
  if (portion.length) yield portion;
}
