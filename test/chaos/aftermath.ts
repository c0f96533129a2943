import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isForker, processesOf } from './processes.ts';
import { strayRows } from './promises.ts';
import type { Stage } from './stage.ts';

/** What a look finds, given a moment to go away. */
async function patiently(look: () => string[] | Promise<string[]>, patienceMs: number): Promise<string[]> {
  for (const deadline = Date.now() + patienceMs; ;) {
    const found = await look();
    if (!found.length || Date.now() > deadline) return found;
    await delay(100);
  }
}

/** Runs that are still active so long after the last strike. */
export const stillActive = (stage: Stage, patienceMs: number): Promise<string[]> =>
  patiently(
    () =>
      stage
        .query(
          `select id, kind, status, blocked_on, pending_reasons from runs where status in ('new', 'pending', 'waiting', 'running') order by id`,
        )
        .then(
          (rows) => rows.map((row) => `still active: ${JSON.stringify(row)}`),
          (error: unknown) => [`the database does not answer: ${String(error)}`],
        ),
    patienceMs,
  );

/** What is left of the jobs: a workspace is removed after its job was recorded. */
export const leftOfJobs = (stage: Stage): Promise<string[]> => {
  const jobs = join(stage.data, 'jobs');
  return patiently(
    () => [
      ...told(processesOf(jobs)),
      ...(existsSync(jobs) ? readdirSync(jobs).map((name) => `the workspace of job ${name} is left`) : []),
    ],
    120_000,
  );
};

/** Rows that should be gone by now. What a process that died was doing waits until it counts as dead, and then its turn. */
export const leftInDatabase = (stage: Stage): Promise<string[]> => patiently(() => strayRows(stage), 120_000);

/** After an orderly end of every node. */
export const leftOfService = (stage: Stage): Promise<string[]> =>
  patiently(
    () => [
      ...told(processesOf(stage.base)),
      ...[...stage.forkers].filter(isForker).map((pid) => `process ${pid} still waits for jobs`),
    ],
    60_000,
  );

const told = (processes: readonly { pid: number; command: string }[]) =>
  processes.map(({ pid, command }) => `process ${pid} is left: ${command.slice(0, 200)}`);
