import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Play, type PlayName, floodLines, plays } from './playbooks.ts';

export interface StoredEvent {
  counter: number;
  event: string;
  task: string;
}

export interface Finished {
  id: number;
  status: string;
  job_explanation: string;
  play: PlayName;
  events: StoredEvent[];
  stdout: string;
}

const isRun = (numbers: readonly number[]) => numbers.every((value, index) => value === index + 1);

/** The lines that a job left outside, as numbers. */
export function written(proof: string, id: number): number[] {
  const file = join(proof, String(id));
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

/** What is wrong with one finished job; an empty list when nothing is. */
export function problems(job: Finished, proof: string, wrapperKilled: boolean): string[] {
  const play: Play = plays[job.play];
  const outside = written(proof, job.id);
  const steps = stepsOf(job).length;
  const found: string[] = [];
  if (!isRun(outside)) found.push(`its lines are ${outside.join(',')}: a step ran twice or was lost`);
  if (!isRun(job.events.map(({ counter }) => counter))) found.push('its event counters have gaps or doubles');
  if (steps > outside.length) found.push(`${steps} steps are stored, but only ${outside.length} happened`);
  if (job.status === play.ends) found.push(...incomplete(job, play, outside.length, steps));
  else if (!wrapperKilled) found.push(`ended ${job.status} (${job.job_explanation}) although its process survived`);
  else if (job.status !== 'error') found.push(`ended ${job.status} although its process was killed`);
  else if (job.job_explanation.trim() === '') found.push('ended error without an explanation');
  return found.map((text) => `job ${job.id} (${job.play}): ${text}`);
}

const stepsOf = ({ events, play }: Finished) =>
  events.filter(
    ({ event, task }) => task === 'append' && event === (play === 'flood' ? 'runner_on_ok' : 'runner_item_on_ok'),
  );

/** What is missing of a job that ran to its end. */
function incomplete({ play: name, events, stdout }: Finished, play: Play, outside: number, steps: number): string[] {
  const found: string[] = [];
  if (outside !== play.lines) found.push(`${outside} of ${play.lines} lines were written`);
  if (steps !== play.lines) found.push(`${steps} of ${play.lines} steps are stored`);
  if (!stdout.includes('PLAY RECAP')) found.push('its recap is missing');
  for (const once of ['playbook_on_start', 'playbook_on_stats']) {
    const times = events.filter(({ event }) => event === once).length;
    if (times !== 1) found.push(`${once} is stored ${times} times`);
  }
  if (name === 'flood') {
    const printed = (stdout.match(/line-\d+/g) ?? []).map((text) => Number(text.slice(5)));
    if (printed.length !== floodLines || !isRun(printed))
      found.push(`${printed.length} of ${floodLines} printed lines are stored, or not in order`);
  }
  return found;
}
