import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processesNaming, wrappers } from './processes.ts';
import { type Stage, persist, setStage } from './stage.ts';
import { type Finished, problems } from './verdict.ts';

export type Victim = 'web' | 'worker' | 'wrapper' | 'backend';

export interface ChaosResult {
  killed: Record<Victim, number>;
  statuses: Record<string, number>;
  events: number;
  lines: number;
  settledS: number;
  problems: string[];
}

/** Small seeded generator, so that a run can be repeated. */
function generator(seed: number): () => number {
  let state = seed || 1;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

const victims: readonly Victim[] = ['web', 'worker', 'worker', 'wrapper', 'backend'];
const slots = 3;

async function launchUpTo(stage: Stage, random: () => number): Promise<void> {
  const active = await stage.call('GET', 'jobs/?status__in=pending,waiting,running&page_size=1');
  for (let i = active.count; i < slots; i++) {
    const template = random() < 0.1 ? stage.templates.flood : stage.templates.append;
    await stage.call('POST', `job_templates/${template}/launch/`, {});
  }
}

/** Kills one part; returns whether there was something to kill. */
async function kill(stage: Stage, victim: Victim, random: () => number, orphaned: Set<number>): Promise<boolean> {
  if (victim === 'web' || victim === 'worker') {
    const node = stage.nodes.find(({ role }) => role === victim);
    await node?.kill();
    await delay(random() * 1000);
    node?.start();
    return true;
  }
  if (victim === 'wrapper') {
    const found = wrappers(join(stage.data, 'jobs'));
    const one = found[Math.floor(random() * found.length)];
    if (!one) return false;
    orphaned.add(one.run);
    return signal(one.pid);
  }
  const rows = await stage
    .query("select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")
    .catch(() => []);
  const pid = rows[Math.floor(random() * rows.length)]?.pid as number | undefined;
  return pid !== undefined && signal(pid);
}

function signal(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended by itself just now
  }
}

async function settled(stage: Stage, deadline: number): Promise<boolean> {
  while (Date.now() < deadline) {
    const active = await stage.call('GET', 'jobs/?status__in=pending,waiting,running&page_size=1').catch(() => null);
    if (active?.count === 0) return true;
    await delay(250);
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
  for (const job of await pages(stage, 'jobs/?order_by=id&page_size=200')) {
    const events = await pages(stage, `jobs/${job.id}/job_events/?order_by=counter&page_size=200`);
    found.push({
      id: job.id,
      status: job.status,
      job_explanation: job.job_explanation,
      flood: job.job_template === stage.templates.flood,
      counters: events.map((event) => event.counter as number),
      stdout: await persist('stdout', () => stage.text(`jobs/${job.id}/stdout/?format=txt_download`)),
    });
  }
  return found;
}

function judge(stage: Stage, jobs: Finished[], orphaned: Set<number>): string[] {
  const left = processesNaming(join(stage.data, 'jobs')).map(
    ({ pid, command }) => `process ${pid} is left: ${command.slice(0, 200)}`,
  );
  return [...jobs.flatMap((job) => problems(job, stage.proof, orphaned.has(job.id))), ...left];
}

export async function chaos({
  kills,
  seed,
  say,
}: {
  kills: number;
  seed: number;
  say: (line: string) => void;
}): Promise<ChaosResult> {
  const random = generator(seed);
  const killed: Record<Victim, number> = { web: 0, worker: 0, wrapper: 0, backend: 0 };
  const orphaned = new Set<number>();
  const stage = await setStage();
  try {
    for (let done = 0; done < kills;) {
      await launchUpTo(stage, random).catch(() => undefined);
      await delay(random() * 1500);
      const victim = victims[Math.floor(random() * victims.length)] ?? 'worker';
      if (!(await kill(stage, victim, random, orphaned))) continue;
      killed[victim] += 1;
      done += 1;
      if (done % 10 === 0) say(`${done} of ${kills}`);
    }
    const restarted = Date.now();
    const calm = await settled(stage, restarted + 60_000);
    const settledS = (Date.now() - restarted) / 1000;
    const jobs = await finishedJobs(stage);
    const statuses: Record<string, number> = {};
    for (const { status } of jobs) statuses[status] = (statuses[status] ?? 0) + 1;
    const written = readdirSync(stage.proof).reduce(
      (sum, name) => sum + readFileSync(join(stage.proof, name), 'utf8').trim().split('\n').length,
      0,
    );
    return {
      killed,
      statuses,
      events: jobs.reduce((sum, job) => sum + job.counters.length, 0),
      lines: written,
      settledS,
      problems: [
        ...(calm ? [] : ['some jobs were still active 60 s after the last restart']),
        ...judge(stage, jobs, orphaned),
      ],
    };
  } finally {
    await stage.close();
  }
}
