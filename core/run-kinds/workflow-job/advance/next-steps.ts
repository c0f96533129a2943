import type { Knex } from 'knex';
import { decideSteps, type Steps } from './decide.ts';
import { loadGraph, loadNear } from './graph.ts';

/**
 * As long as something goes on elsewhere only what may move is read; how a run ends, a cancel, and marks that go further than
 * what was read take all of it.
 */
export async function nextSteps(trx: Knex, run: number, state: { canceled: boolean }): Promise<Steps> {
  const near = state.canceled ? null : await loadNear(trx, run);
  if (near) {
    const steps = decideSteps(near, state);
    const edge = new Set(near.nodes.filter((node) => node.edge).map(({ id }) => id));
    if (![...steps.skip, ...steps.fail].some((id) => edge.has(id))) return { ...steps, end: undefined };
  }
  return decideSteps(await loadGraph(trx, run), state);
}
