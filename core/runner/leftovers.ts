import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends what a job left running after its wrapper was killed. A process namespace takes care of that by
 * itself; elsewhere the job's processes are known by the mark they all inherited.
 */
export function endStrays(job: string): number {
  const mark = `TAPLINE_JOB=${job}`;
  let ended = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark)) continue;
      process.kill(Number(name), 'SIGKILL');
      ended += 1;
    } catch {
      // gone meanwhile, or another user's: not one of ours
    }
  }
  return ended;
}
