import type { Knex } from 'knex';
import { decideSteps, type Steps } from './decide.ts';
import { loadGraph, loadNear } from './graph.ts';

export interface NextSteps extends Steps {
  /** what follows from these was not looked at */
  more: boolean;
}

/** As long as something goes on elsewhere only what may move is read; how a run ends, and a cancel, take all of it. */
export async function nextSteps(trx: Knex, run: number, state: { canceled: boolean }): Promise<NextSteps> {
  const near = state.canceled ? null : await loadNear(trx, run);
  if (!near) return { ...decideSteps(await loadGraph(trx, run), state), more: false };
  const steps = decideSteps(near, state);
  const edge = new Set(near.nodes.filter((node) => node.edge).map(({ id }) => id));
  return { ...steps, end: undefined, more: [...steps.skip, ...steps.fail].some((id) => edge.has(id)) };
}
