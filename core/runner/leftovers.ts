import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends what a job left running after its wrapper was killed. A process namespace takes care of that by
 * itself, unless the kill came before it was made; elsewhere the job's processes are known by the mark they
 * all inherited.
 */
export async function endStrays(job: string): Promise<number> {
  let ended = 0;
  for (const [index, name] of readdirSync('/proc').entries()) {
    // the end of the job is being announced meanwhile
    if (index % 20 === 0) await new Promise(setImmediate);
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      if (!isStray(name, job)) continue;
      process.kill(Number(name), 'SIGKILL');
      ended += 1;
    } catch {
      // gone meanwhile, or another user's: not one of ours
    }
  }
  return ended;
}

function isStray(pid: string, job: string): boolean {
  const [program = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  if (program.endsWith('/bwrap') && rest.includes(`${job}/work`)) return true;
  return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TAPLINE_JOB=${job}`);
}
