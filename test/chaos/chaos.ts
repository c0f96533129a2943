import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Random, type Victim, generator, kill, victims } from './kill.ts';
import { type PlayName, plays } from './playbooks.ts';
import { processesOf, wrappers } from './processes.ts';
import { type Stage, persist, setStage } from './stage.ts';
import { type Finished, problems, written } from './verdict.ts';

export interface ChaosResult {
  killed: Record<Victim, number>;
  /** jobs with a living process at the moment of each kill, on average */
  alive: number;
  statuses: Record<string, number>;
  plays: Record<string, number>;
  /** jobs whose process was killed */
  orphaned: number;
  events: number;
  lines: number;
  /** from the last restart until no job was active any more */
  settledS: number;
  problems: string[];
}

const slots = 4;
/** A kill among so many living jobs at least, if they come up in time. */
const wanted = 2;
const patienceMs = 8000;

async function launchUpTo(stage: Stage, random: Random, accepted: Set<number>): Promise<void> {
  const active = await stage.call('GET', 'jobs/?status__in=pending,waiting,running&page_size=1');
  for (let i = active.count; i < slots; i++) {
    const { job } = await stage.call('POST', `job_templates/${stage.templates[choose(random)]}/launch/`, {});
    accepted.add(job);
  }
}

function choose(random: Random): PlayName {
  let left = random();
  for (const [name, { share }] of Object.entries(plays)) if ((left -= share) < 0) return name as PlayName;
  return 'append';
}

async function amongJobs(stage: Stage, random: Random, accepted: Set<number>): Promise<number> {
  const living = () => wrappers(join(stage.data, 'jobs')).length;
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    stage.revive();
    await launchUpTo(stage, random, accepted).catch(() => undefined);
    if (living() >= wanted) break;
    await delay(50);
  }
  await delay(random() * 1000);
  return living();
}

async function settled(stage: Stage, deadline: number): Promise<boolean> {
  while (Date.now() < deadline) {
    stage.revive();
    const active = await stage
      .call('GET', 'jobs/?status__in=new,pending,waiting,running&page_size=1')
      .catch(() => null);
    if (active?.count === 0) return true;
    await delay(100);
  }
  return false;
}

async function pages(stage: Stage, path: string): Promise<any[]> {
  const rows: any[] = [];
  for (let next: string | null = path; next !== null;) {
    const at: string = next;
    const page = await persist(at, () => stage.call('GET', at));
    rows.push(...page.results);
    next = page.next === null ? null : page.next.replace('/api/v2/', '');
  }
  return rows;
}

async function finishedJobs(stage: Stage): Promise<Finished[]> {
  const found: Finished[] = [];
  const names = new Map(Object.entries(stage.templates).map(([name, id]) => [id, name as PlayName]));
  for (const job of await pages(stage, 'jobs/?order_by=id&page_size=200')) {
    found.push({
      id: job.id,
      status: job.status,
      job_explanation: job.job_explanation,
      play: names.get(job.job_template) ?? 'append',
      events: await pages(stage, `jobs/${job.id}/job_events/?order_by=counter&page_size=200`),
      stdout: await persist('stdout', () => stage.text(`jobs/${job.id}/stdout/?format=txt_download`)),
    });
  }
  return found;
}

/** What is left of the jobs, given a moment: a workspace is removed after its job was recorded. */
async function leftovers(stage: Stage): Promise<string[]> {
  const jobs = join(stage.data, 'jobs');
  const look = () => [
    ...processesOf(jobs).map(({ pid, command }) => `process ${pid} is left: ${command.slice(0, 200)}`),
    ...(existsSync(jobs) ? readdirSync(jobs).map((name) => `the workspace of job ${name} is left`) : []),
  ];
  for (const deadline = Date.now() + 5000; look().length && Date.now() < deadline;) await delay(100);
  return look();
}

const count = (names: readonly string[]) =>
  names.reduce<Record<string, number>>((counts, name) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }), {});

export interface ChaosOptions {
  kills: number;
  seed: number;
  say: (line: string) => void;
}

export async function chaos({ kills, seed, say }: ChaosOptions): Promise<ChaosResult> {
  const random = generator(seed);
  const killed: Record<Victim, number> = { web: 0, worker: 0, wrapper: 0, backend: 0 };
  const orphaned = new Set<number>();
  const accepted = new Set<number>();
  const order = victims(random);
  const stage = await setStage();
  let alive = 0;
  try {
    for (let done = 0; done < kills; done++) {
      const victim = order.next().value;
      for (;;) {
        alive += await amongJobs(stage, random, accepted);
        if (await kill(stage, victim, random, orphaned)) break;
      }
      killed[victim] += 1;
      if ((done + 1) % 10 === 0) say(`${done + 1} of ${kills}`);
    }
    return { killed, alive: alive / kills, ...(await judge(stage, { orphaned, accepted })) };
  } finally {
    await stage.close();
  }
}

async function judge(
  stage: Stage,
  { orphaned, accepted }: { orphaned: ReadonlySet<number>; accepted: ReadonlySet<number> },
): Promise<Omit<ChaosResult, 'killed' | 'alive'>> {
  const restarted = Date.now();
  const calm = await settled(stage, restarted + 60_000);
  const settledS = (Date.now() - restarted) / 1000;
  const left = await leftovers(stage);
  const jobs = await finishedJobs(stage);
  const known = new Set(jobs.map(({ id }) => id));
  return {
    statuses: count(jobs.map(({ status }) => status)),
    plays: count(jobs.map(({ play }) => play)),
    orphaned: orphaned.size,
    events: jobs.reduce((sum, { events }) => sum + events.length, 0),
    lines: jobs.reduce((sum, { id }) => sum + written(stage.proof, id).length, 0),
    settledS,
    problems: [
      ...(calm ? [] : ['some jobs were still active 60 s after the last restart']),
      ...[...accepted].filter((id) => !known.has(id)).map((id) => `job ${id} was accepted and is not there`),
      ...jobs.flatMap((job) => problems(job, stage.proof, orphaned.has(job.id))),
      ...left,
    ],
  };
}
