import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import { decideSteps, type Steps } from './decide.ts';
import { ConditionJudge, explainGivenUp, type Judging } from './judge-conditions.ts';
import { type Graph, type GraphNode, loadGraph, loadNear } from './graph.ts';

/** Marks lead to further ones; from so many links on, all of the graph is read. */
const furthest = 8;

interface Look {
  canceled: boolean;
  /** what there is no news of as well */
  whole: boolean;
}

/**
 * Decides what is next, and marks nodes that will not run or had nothing to launch. What there is news of is looked at along its links;
 * where a run begins or may have ended, was canceled or is looked at now and then, all of it.
 */
export async function takeSteps(judging: Judging, trx: Knex, run: number, { canceled, whole }: Look): Promise<Steps> {
  const judge = new ConditionJudge(judging);
  const near = canceled || whole ? null : await takeNear(judge, trx, run);
  if (near) return near;
  const graph = await loadGraph(trx, run);
  if (!canceled) await judge.judge(trx, graph);
  const steps = decideSteps(graph, { canceled });
  await mark(trx, graph, steps, []);
  return withJudge(steps, judge);
}

const withJudge = (steps: Steps, { pause, givenUp }: ConditionJudge): Steps => ({
  ...steps,
  ...(steps.open.length ? { later: Math.min(steps.later ?? Infinity, pause) } : {}),
  told: explainGivenUp(givenUp),
});

/** null where it takes all of the graph to tell. */
async function takeNear(judge: ConditionJudge, trx: Knex, run: number): Promise<Steps | null> {
  const launch = new Map<number, GraphNode>();
  for (let links = 0; links < furthest; links += 1) {
    // each goes on from what the one before it marked
    // oxlint-disable-next-line no-await-in-loop
    const { others, ...near } = await loadNear(trx, run);
    // oxlint-disable-next-line no-await-in-loop
    await judge.judge(trx, near);
    const steps = decideSteps(near, { canceled: false });
    const followed = new Set(near.nodes.flatMap((node) => (node.followed ? node.id : [])));
    const further = [...steps.skip, ...steps.fail].filter((id) => followed.has(id));
    // oxlint-disable-next-line no-await-in-loop
    await mark(trx, near, steps, further);
    for (const node of steps.launch) launch.set(node.id, node);
    if (further.length) continue;
    const goesOn = others || launch.size > 0 || !steps.end;
    return goesOn ? { ...withJudge(steps, judge), launch: [...launch.values()], end: undefined } : null;
  }
  return null;
}

const marked = {
  name: 'workflow nodes marked',
  text: `update workflow_job_nodes set do_not_run = do_not_run or id = any ($2),
      outcome = case when id = any ($3) then 'error' else outcome end, news = id = any ($4), modified = now()
    where id = any ($1)`,
};

/** @param further of what is marked, the nodes whose followers have not been decided */
async function mark(trx: Knex, { nodes }: Graph, { skip, fail, again, open }: Steps, further: readonly number[]) {
  const told = nodes.flatMap(({ id, news }) => (news && !again.includes(id) && !open.includes(id) ? id : []));
  const touched = [...told, ...skip, ...fail];
  if (touched.length) await runPrepared(trx, marked, [touched, skip, fail, further]);
}
