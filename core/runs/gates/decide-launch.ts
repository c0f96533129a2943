import type { Launcher, LaunchUses, RunPlan, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { safeText } from '../../db/safe-text.ts';
import { EXPLANATION_LIMIT, explained } from '../../hooks/explanation.ts';
import type { Hooks, LaunchFacts, Refusal, TapAnswer } from '../../hooks/hooks.ts';
import type { Log } from '../../observe/log.ts';
import type { Contents } from '../contents.ts';
import { underNoKey } from '../launch-key.ts';
import { DECIDING_BEAT_MS } from '../reaper.ts';
import { publicRun } from '../status.ts';

export interface Verdict {
  refusal: Refusal | undefined;
  /** the run's `job_explanation` with what taps had to say */
  explanation: string;
  /** by the label of the tap */
  answers: ReadonlyMap<string, TapAnswer>;
}

export type { LaunchFacts } from '../../hooks/hooks.ts';

const nothing: LaunchUses = { organization: null, inventory: null, project: null, credentials: [] };

export interface DecideDeps {
  db: Knex;
  hooks: Hooks;
  contents: Pick<Contents, 'of'>;
  log: Pick<Log, 'warn'>;
}

/** What taps are told of a launch. */
export const launchFacts = (
  run: RunRow,
  { actor, authority, origin, template = null, uses, given = {} }: Launching,
): LaunchFacts => ({ run: publicRun(run), template, uses: { ...nothing, ...uses }, actor, authority, origin, given });

/** Who launches what, and with what. */
export type Launching = Launcher & Pick<RunPlan, 'template' | 'uses'> & Partial<Pick<LaunchFacts, 'given'>>;

/** Asks the taps of `beforeStart` about a run in status `new`. */
export async function decideLaunch(
  { db, hooks, contents, log }: DecideDeps,
  run: RunRow,
  launch: Launching,
): Promise<Verdict> {
  const content = contents.of(run);
  const answers = new Map<string, TapAnswer>();
  const decision = await whileAlive(db, run.id, () =>
    // taps launch as well: an update that brings what they look at up to date, or whatever a plugin likes
    underNoKey(() =>
      hooks.decideLaunch(
        launchFacts(run, launch),
        { content: () => content.get(), contents: () => content.works() },
        (tap, answer) => void answers.set(tap, answer),
      ),
    ),
  );
  // nobody waits for that
  content.discard().catch((err: unknown) => log.warn({ err, run: run.id }, 'content of a launch could not be removed'));
  const explanation = safeText(explained(run.job_explanation, decision), EXPLANATION_LIMIT);
  return { refusal: decision.refusal, explanation, answers };
}

/** Taps may take long; the reaper must not take the run for an orphan meanwhile. */
async function whileAlive<T>(db: Knex, run: number, decide: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    db('runs')
      .where({ id: run, status: 'new' })
      .update({ modified: db.fn.now() })
      .catch(() => undefined);
  }, DECIDING_BEAT_MS);
  try {
    return await decide();
  } finally {
    clearInterval(timer);
  }
}
