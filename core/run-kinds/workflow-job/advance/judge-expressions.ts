import { SandboxError } from '@tapline/plugin-sdk';
import type { WorkflowServices } from '../services.ts';
import type { Graph, GraphLink } from './graph.ts';

export type Judging = Pick<WorkflowServices, 'sandbox' | 'log'>;

const timeoutMs = 2000;
/** of all of a look, whose transaction is open meanwhile: what comes after it does not hold */
const longestMs = 20_000;

/** Evaluates the expressions of links whose first node has come to something. One that cannot be evaluated does not hold. */
export async function judgeExpressions({ sandbox, log }: Judging, { nodes, links }: Graph): Promise<void> {
  const asked = links.filter(({ expression, artifact }) => expression !== '' && artifact !== null);
  if (!asked.length) return;
  const outcomes = new Map(nodes.map(({ id, outcome }) => [id, outcome]));
  const until = Date.now() + longestMs;
  const judge = async ({ parent, expression, artifact }: GraphLink): Promise<boolean> => {
    if (Date.now() > until) throw new SandboxError('timeout', 'there are too many to evaluate at once');
    const context = { artifacts: JSON.parse(artifact!) as unknown, status: outcomes.get(parent) };
    // true and false as the language has it
    return (await sandbox.evaluate(`true if (${expression}) else false`, context, { timeoutMs })) === true;
  };
  for (const link of asked)
    try {
      // they are evaluated by one process anyway
      // oxlint-disable-next-line no-await-in-loop
      link.holds = await judge(link);
    } catch (err) {
      if (!(err instanceof SandboxError)) throw err;
      link.holds = false;
      const { parent, child } = link;
      log.warn({ err, parent, child }, 'a condition of a workflow could not be evaluated, and does not hold');
    }
}
