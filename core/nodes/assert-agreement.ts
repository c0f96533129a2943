import type { Knex } from 'knex';
import { differences, type NodeSet } from './agreement.ts';
import { DEAD_AFTER_S, type LivingNode, livingNodes } from './living.ts';

/** For commands that change data of plugins without serving. @throws Error naming what differs from a living node, and what to do */
export async function assertAgreement(db: Knex, mine: NodeSet): Promise<void> {
  refuseToDiffer(mine, await livingNodes(db));
}

export function refuseToDiffer(mine: NodeSet, others: readonly LivingNode[]): void {
  for (const other of others) {
    const found = differences(mine, other);
    if (!found.length) continue;
    throw new Error(
      `this node (${mine.node}) differs from ${other.node}, which serves the same database and was heard of ${other.seconds} s ago: ` +
        `${found.join('; ')}. Give both the same plugins in the same versions (config/plugins.ts, TAPLINE_PLUGINS, "tapline plugins") ` +
        `and the same keys (keys.json or TAPLINE_SECRET_KEY); or stop every other node first: then this one takes its own set over. ` +
        `A node that was killed counts as living for ${DEAD_AFTER_S} s.`,
    );
  }
}
