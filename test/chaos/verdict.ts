import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { floodLines, lines } from './playbooks.ts';

export interface Finished {
  id: number;
  status: string;
  job_explanation: string;
  flood: boolean;
  counters: number[];
  stdout: string;
}

const isRun = (numbers: readonly number[]) => numbers.every((value, index) => value === index + 1);

/** What is wrong with one finished job; an empty list when nothing is. */
export function problems(job: Finished, proof: string, wrapperKilled: boolean): string[] {
  const found: string[] = [];
  const file = join(proof, String(job.id));
  const written = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  const expected = job.flood ? 1 : lines;
  if (!isRun(written)) found.push(`its lines are ${written.join(',')}: a step ran twice or was lost`);
  if (!isRun(job.counters)) found.push('its event counters have gaps or doubles');
  if (job.status === 'successful') {
    if (written.length !== expected) found.push(`successful, but ${written.length} of ${expected} lines were written`);
    if (!job.stdout.includes('PLAY RECAP')) found.push('successful, but its recap is missing');
    if (job.flood) {
      const printed = new Set(job.stdout.match(/line-\d+/g)).size;
      if (printed !== floodLines) found.push(`only ${printed} of ${floodLines} printed lines are stored`);
    }
  } else if (job.status === 'error' && wrapperKilled) {
    if (job.job_explanation === '') found.push('ended error without an explanation');
  } else {
    found.push(`ended ${job.status} (${job.job_explanation}) although its process survived`);
  }
  return found.map((text) => `job ${job.id}: ${text}`);
}
