import { isUnavailable, saysWhatIsWrong } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../../../db/prepared.ts';
import type { WorkflowServices } from '../services.ts';
import { artifactHolds, hasEnded, stateAfter } from './decide.ts';
import type { Graph, GraphLink, GraphNode } from './graph.ts';

export type Judging = Pick<WorkflowServices, 'sandbox' | 'log'>;

const timeoutMs = 2000;
/** of all of a look, whose transaction is open meanwhile: the next look goes on with the others */
const longestMs = 20_000;
/** until those are asked again that nobody could judge */
const pauseS = 5;
/** One after the other: nobody can be asked now. Less may be due to what is asked: an expression that needs more than it is given. */
const mostInVain = 2;

/** Of one condition, over at least so long: then nobody will ever answer, and the run would wait for good. */
const mostTries = 5;
const longestS = 15 * 60;

const kept = {
  name: 'workflow conditions judged',
  text: `update workflow_job_node_links l set holds = j.holds,
      asked_in_vain = least(l.asked_in_vain + case when j.vain then 1 else 0 end, 32767),
      asked_since = case when j.vain then coalesce(l.asked_since, now()) else l.asked_since end
    from jsonb_to_recordset($1::jsonb) as j(parent bigint, child bigint, holds boolean, vain boolean)
    where l.parent_id = j.parent and l.child_id = j.child`,
};

/**
 * Judges the conditions that are asked once the node before them has come to its end: each once, for good, since what was
 * decided by it may have been launched. An expression that is wrong does not hold; one that nobody could judge stays open, for
 * a while.
 */
export class ConditionJudge {
  readonly #judging: Judging;
  readonly #until = Date.now() + longestMs;
  /** asked in this look without an answer */
  readonly #open = new Set<string>();
  /** do not hold since nobody answered for too long */
  readonly givenUp: GraphLink[] = [];
  #inVain = 0;

  constructor(judging: Judging) {
    this.#judging = judging;
  }

  /** Seconds until those are asked again that stayed open. */
  get pause(): number {
    return this.#open.size ? pauseS : 0;
  }

  async judge(trx: Knex, { nodes, links }: Graph): Promise<void> {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const before = new Set(this.#open);
    const asked = links.filter((link) => isAsked(link, byId.get(link.parent)!));
    for (const link of fromAnywhere(asked))
      // they are evaluated by one process anyway
      // oxlint-disable-next-line no-await-in-loop
      link.holds = await this.#verdict(link, byId.get(link.parent)!);
    const noted = asked.flatMap((link) => {
      const { parent, child, holds } = link;
      const vain = this.#open.has(keyOf(link)) && !before.has(keyOf(link));
      return holds !== null || vain ? { parent, child, holds, vain } : [];
    });
    if (noted.length) await runPrepared(trx, kept, [JSON.stringify(noted)]);
  }

  async #verdict(link: GraphLink, { outcome }: GraphNode): Promise<boolean | null> {
    const { parent, child, expression, artifact } = link;
    if (expression === '') return artifactHolds(link);
    if (this.#open.has(keyOf(link)) || this.#inVain >= mostInVain || Date.now() > this.#until) return null;
    const { sandbox, log } = this.#judging;
    const context = { artifacts: JSON.parse(artifact ?? '{}') as unknown, status: outcome };
    try {
      // true and false as the language has it
      const holds = await sandbox.evaluate(`true if (${expression}) else false`, context, { timeoutMs });
      this.#inVain = 0;
      return holds === true;
    } catch (err) {
      const away = isUnavailable(err);
      if (!away && !saysWhatIsWrong(err)) throw err;
      const what = away ? 'now, and is asked again later' : 'and does not hold';
      log.warn({ err, parent, child }, `a condition of a workflow could not be evaluated ${what}`);
      this.#inVain = away ? this.#inVain + 1 : 0;
      return away ? this.#unanswered(link) : false;
    }
  }

  #unanswered(link: GraphLink): false | null {
    if (link.inVain + 1 >= mostTries && link.inVain_s >= longestS) {
      this.givenUp.push(link);
      return false;
    }
    this.#open.add(keyOf(link));
    return null;
  }
}

const keyOf = ({ parent, child }: GraphLink): string => `${parent}:${child}`;

const named = 20;

/** For the run's explanation; '' where there are none. */
export function explainGivenUp(links: readonly GraphLink[]): string {
  if (!links.length) return '';
  const first = links.slice(0, named).map(({ parent, child }) => `${parent} to ${child}`);
  const more = links.length > named ? ` and ${links.length - named} more` : '';
  return `Nobody could evaluate the condition on the link from node ${first.join(', ')}${more} for ${longestS / 60} minutes: it counts as not met.`;
}

/** No look begins with the same one as the look before: those that get no answer keep no others from theirs. */
function fromAnywhere<T>(all: readonly T[]): readonly T[] {
  const first = Math.floor(Math.random() * all.length);
  return [...all.slice(first), ...all.slice(0, first)];
}

const isAsked = ({ kind, holds, trigger }: GraphLink, parent: GraphNode): boolean =>
  kind === 'condition' &&
  holds === null &&
  hasEnded(parent) &&
  (trigger === 'always' || trigger === stateAfter(parent.outcome));
