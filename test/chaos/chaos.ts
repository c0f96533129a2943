import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { leftInDatabase, leftOfJobs, leftOfService, stillActive } from './aftermath.ts';
import type { World } from './ask.ts';
import { launchEach, letLoose } from './clients.ts';
import { brokenTicks, brokenWords, tieNotifications, windUp } from './clock.ts';
import { makeTemplates, otherLaunches } from './content.ts';
import { persist } from './api.ts';
import { keepEvidence } from './evidence.ts';
import { brokenEvents, tieEvents } from './events.ts';
import { firstStart } from './first-start.ts';
import { Ledger } from './ledger.ts';
import { plan, type Strike } from './plan.ts';
import { wrappers } from './processes.ts';
import { brokenPromises } from './promises.ts';
import { stream } from './random.ts';
import { workflowLaunch } from './workflow.ts';
import { Stage } from './stage.ts';
import { problemsOf, type StoredRun, storedRuns, written } from './verdict.ts';
import { type VictimName, victims } from './victims.ts';

export interface ChaosOptions {
  kills: number;
  seed: number;
  say: (line: string) => void;
  /** aborted when enough has been struck: what happened so far is judged */
  enough?: AbortSignal;
}

export interface ChaosResult {
  /** during the first start */
  early: number;
  /** strikes that hit something */
  hits: Partial<Record<VictimName, number>>;
  /** strikes that did not */
  missed: Partial<Record<VictimName, number>>;
  /** jobs with a living process when something was struck, on average */
  alive: number;
  statuses: Record<string, number>;
  kinds: Record<string, number>;
  plays: Record<string, number>;
  /** runs whose process was killed */
  struck: number;
  /** what clients asked, and how they were answered */
  answers: Record<string, number>;
  /** from outside, and what was told there */
  pushed: number;
  told: number;
  /** minutes in which a schedule launched something */
  ticks: number;
  notified: number;
  events: number;
  lines: number;
  /** from the last strike until nothing was active any more */
  settledS: number;
  problems: string[];
  /** where all of it is kept, when something is wrong */
  evidence: string | undefined;
}

/** A strike that finds nothing to hit is made again, and left out in the end: the hits tell which were made. */
const againMs = 200;
const tries = 500;
/** It only ends what hangs, as all limits here. */
const settleMs = 600_000;

interface Struck {
  at: string;
  strike: Strike;
  hit: string[];
  alive: number;
}

export async function chaos({ kills, seed, say, enough }: ChaosOptions): Promise<ChaosResult> {
  const stage = await Stage.set();
  const ledger = new Ledger();
  const struck: Struck[] = [];
  let result: ChaosResult | undefined;
  let failure: unknown;
  try {
    const early = await firstStart(stage, stream(seed, 'first start'), Math.max(3, Math.round(kills / 20)));
    await underFire(stage, ledger, { schedule: plan(seed, kills), seed, struck, say, enough });
    result = { early, ...(await judge(stage, ledger, struck)) };
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // evidence before anything is taken away
    const evidence =
      result?.problems.length === 0
        ? undefined
        : await keepEvidence(stage, ledger, { struck, result, failure: String(failure) });
    if (evidence !== undefined) say(`evidence is kept in ${evidence}`);
    if (result) result.evidence = evidence;
    await stage.stop();
    if (result && evidence === undefined) result.problems.push(...(await leftOfService(stage)));
    await stage.stopPostgres();
    if (evidence === undefined) stage.remove();
  }
  return result;
}

interface Attack extends Pick<ChaosOptions, 'seed' | 'say'> {
  schedule: Strike[];
  struck: Struck[];
  enough: AbortSignal | undefined;
}

/** Clients go on all the while. Whatever was hit, every play can be run afterwards. */
async function underFire(stage: Stage, ledger: Ledger, { schedule, seed, struck, say, enough }: Attack): Promise<void> {
  const { token } = await persist('a token', () => stage.api.call('POST', 'tokens/', {}));
  const templates = await makeTemplates(stage.api, stage);
  await tieEvents(stage.api, templates, stage.target);
  await tieNotifications(stage.api, `${stage.target.url}notified`);
  const stopClock = await windUp(stage, templates);
  const others = [...(await otherLaunches(stage.api, stage)), await workflowLaunch(stage.api, templates)];
  stage.api.authorization = `Bearer ${token}`;
  const over = new AbortController();
  const world: World = { api: stage.api, ledger, templates, others, over: over.signal };
  const clients = letLoose(world, (name) => stream(seed, name));
  // told below
  clients.catch(() => undefined);
  try {
    for (const [index, strike] of schedule.entries()) {
      if (enough?.aborted) break;
      struck.push(await hit(stage, strike));
      if ((index + 1) % 10 === 0) say(`${index + 1} of ${schedule.length}`);
    }
  } finally {
    over.abort();
    await clients;
    await stopClock();
  }
  await launchEach(world);
}

async function hit(stage: Stage, strike: Strike): Promise<Struck> {
  if (strike.patient) await persist('an answer', () => stage.api.call('GET', 'ping/'));
  await delay(strike.afterMs);
  for (let attempt = 0; attempt < tries; attempt++) {
    const alive = wrappers(join(stage.data, 'jobs')).length;
    const at = new Date().toISOString();
    const killed = await victims[strike.victim].kill(stage, strike);
    if (killed.length) return { at, strike, hit: killed, alive };
    await delay(againMs);
  }
  return { at: new Date().toISOString(), strike, hit: [], alive: 0 };
}

async function judge(stage: Stage, ledger: Ledger, struck: readonly Struck[]): Promise<Omit<ChaosResult, 'early'>> {
  const began = Date.now();
  const active = await stillActive(stage, settleMs);
  const settledS = (Date.now() - began) / 1000;
  const left = await leftOfJobs(stage);
  const stray = await leftInDatabase(stage);
  const runs = await storedRuns(stage);
  const jobs = runs.filter(({ play }) => play !== null);
  const { ticks, problems: ofTicks } = await brokenTicks(stage);
  const hits = struck.filter(({ hit }) => hit.length);
  return {
    hits: count(hits.map(({ strike }) => strike.victim)),
    missed: count(struck.filter(({ hit }) => !hit.length).map(({ strike }) => strike.victim)),
    alive: hits.reduce((sum, { alive }) => sum + alive, 0) / hits.length,
    statuses: count(runs.map(({ status }) => status)),
    kinds: count(runs.map(({ kind }) => kind)),
    plays: count(jobs.map(({ play }) => play!)),
    struck: stage.struck.size,
    answers: ledger.answers,
    pushed: ledger.events.size,
    told: stage.target.told.size,
    ticks,
    notified: stage.target.notified.size,
    events: sum(runs, ({ event_count: events }) => events),
    lines: sum(runs, ({ id }) => written(stage.proof, id).length),
    settledS,
    problems: [
      ...active,
      ...left,
      ...runs.flatMap((run) => problemsOf(run, stage, ledger)),
      ...brokenPromises(ledger, runs),
      ...stray,
      ...ofTicks,
      ...(await brokenWords(stage, stage.target.notified)),
      ...(await brokenEvents(stage, stage.target, ledger.events)),
    ],
    evidence: undefined,
  };
}

const sum = (runs: readonly StoredRun[], of: (run: StoredRun) => number) =>
  runs.reduce((total, run) => total + of(run), 0);

const count = (names: readonly string[]) =>
  names.reduce<Record<string, number>>((counts, name) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }), {});
