import { setTimeout as delay } from 'node:timers/promises';
import type { ExecStatus, Handle } from '../executor.ts';
import type { RunOutcome } from '../outcome.ts';
import { Patience } from '../patience.ts';
import { conclude } from './conclude.ts';
import { persist } from './retry.ts';
import { type FollowedRun, type IngestDeps, type RunTraits, type Session, openSession, step } from './session.ts';
import { createWaker } from './waker.ts';

export interface FollowOptions {
  /** Values that must not be stored, wherever they turn up in the output. */
  secrets: readonly string[];
  /** Stops following; the run itself goes on and can be followed again. */
  signal: AbortSignal;
  /** what its kind says of runs like it */
  traits?: RunTraits;
}

export interface Ingest {
  /** Stores what a run says while it says it; resolves once it has ended and everything is stored. Any number may follow one run. */
  follow(run: FollowedRun, handle: Handle, options: FollowOptions): Promise<RunOutcome>;
}

type Ended = Exclude<ExecStatus, { state: 'running' }>;

/**
 * Between small batches: what arrives within it is stored together. Short at first, so that a short run is shown as
 * it goes; longer for a run that goes on, and where several go on, so that following takes little from the engines
 * beside it. The end of a run ends the wait.
 */
const gatherMs = 10;
const longRunGatherMs = 100;
const crowdGatherMs = 200;
const longRunAfterMs = 2000;
const smallBatch = 100;
/** Looking without being woken: while something is held back, and in case the watch missed a change. */
const heldPollMs = 250;
const idlePollMs = 1000;
/** A process that has just gone may still be about to leave its exit record. */
const lostGraceMs = 500;

export function createIngest(deps: IngestDeps): Ingest {
  const followed = new Set<Session>();
  return {
    async follow(run, handle, { secrets, signal, traits }) {
      const session = openSession(deps, { ...run, ...traits }, handle, secrets);
      followed.add(session);
      const ended = await tail(session, signal, () => followed.size > 1).finally(() => followed.delete(session));
      const { log, giveUpAfterMs } = deps;
      const patience = new Patience(giveUpAfterMs);
      return persist(() => conclude(session, ended), { log, signal, patience, what: `ending run ${run.id}` });
    },
  };
}

/** Stores until the process has ended and its last byte is stored. */
async function tail(session: Session, signal: AbortSignal, inCrowd: () => boolean): Promise<Ended> {
  const {
    deps: { executor, log },
    patience,
    handle,
    run,
  } = session;
  const waker = createWaker(signal);
  const unwatch = executor.watch(handle, waker.ring);
  const retry = { log, signal, patience, what: `storing the events of run ${run.id}` };
  const longFrom = performance.now() + longRunAfterMs;
  const gather = () => (inCrowd() ? crowdGatherMs : performance.now() > longFrom ? longRunGatherMs : gatherMs);
  let ended: Ended | null = null;
  try {
    for (;;) {
      const { moved, rows, waiting } = await persist(() => step(session, ended !== null), retry);
      if (moved) {
        if (!ended && rows < smallBatch) await waker.rest(gather());
        continue;
      }
      if (ended) return ended;
      ended = await persist(() => endOf(session), retry);
      if (ended) continue;
      const hurry = await waker.wait(waiting ? heldPollMs : idlePollMs);
      // the first of a few lines
      if (!hurry && inCrowd()) await waker.rest(crowdGatherMs);
    }
  } finally {
    unwatch();
    waker.stop();
    await session.flight;
  }
}

/** How the run ended, null while it runs. A lost run is looked at twice: judging it wrongly would end a living one. */
async function endOf({ deps: { executor }, handle }: Session): Promise<Ended | null> {
  const first = await executor.status(handle);
  if (first.state !== 'lost') return first.state === 'running' ? null : first;
  await delay(lostGraceMs);
  const second = await executor.status(handle);
  return second.state === 'running' ? null : second;
}
