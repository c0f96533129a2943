import type { Knex } from 'knex';
import { runPrepared } from '../engine/prepared.ts';
import type { NodeLoad } from './capacity.ts';
import type { Active, Candidate } from './decide.ts';

/** Looked at in one pass; a longer queue takes several. */
export const PASS_SIZE = 200;
/** A node that has not been heard of for so long is dead. */
export const NODE_DEAD_AFTER_S = 20;
/** Passes of all nodes go one after the other; the lock ends with the transaction. */
const PASS_LOCK = 7_236_010;

export interface LoadedSituation {
  /** the runs that nothing is known to block, in their order; blocked ones are never read: the index leaves them out */
  candidates: Candidate[];
  /** what runs of their templates already, and the updates of their projects, those that still wait included */
  active: Active[];
  /** the nodes that take work, with what they carry */
  nodes: NodeLoad[];
}

const situation = {
  name: 'dispatch situation',
  text: `select dispatch_situation($1, $2, $3 * interval '1 second') as found`,
};

/** Locks out other passes, and the templates and projects of the candidates: no run of theirs can end without being seen. */
export async function loadSituation(trx: Knex): Promise<LoadedSituation> {
  return (await runPrepared(trx, situation, [PASS_LOCK, PASS_SIZE, NODE_DEAD_AFTER_S]))[0].found;
}
