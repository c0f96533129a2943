import { SpecError } from '@tapline/plugin-sdk';
import { limitProblem } from '../../../inventory/limit.ts';
import { assertText } from '../../../runner/environment.ts';
import { expressionProblem } from '../../../yaml/expressions.ts';

export interface JobParameters {
  job_type: string;
  playbook: string;
  limit: string;
  job_tags: string;
  skip_tags: string;
  start_at_task: string;
  forks: number;
  verbosity: number;
  force_handlers: boolean;
  diff_mode: boolean;
  become_enabled: boolean;
}

const mostVerbose = 5;

/** Options of the engine (contract §11.5). Values stay values: `--name=value` whatever they begin with. */
export function jobOptions(job: JobParameters): string[] {
  const text = (name: string, field: 'limit' | 'job_tags' | 'skip_tags' | 'start_at_task') => {
    assertText(`The job's ${field}`, job[field]);
    return job[field] ? [`--${name}=${job[field]}`] : [];
  };
  // checked when it was stored; what is older, or comes of a plugin, was not
  const problem = limitProblem(job.limit) ?? expressionProblem(job.job_tags) ?? expressionProblem(job.skip_tags);
  if (problem) throw new SpecError(`The job's limit or tags: ${problem}`);
  return [
    ...(job.job_type === 'check' ? ['--check'] : []),
    ...(job.diff_mode ? ['--diff'] : []),
    ...(job.become_enabled ? ['--become'] : []),
    ...(job.force_handlers ? ['--force-handlers'] : []),
    ...(job.forks > 0 ? [`--forks=${job.forks}`] : []),
    ...text('limit', 'limit'),
    ...text('tags', 'job_tags'),
    ...text('skip-tags', 'skip_tags'),
    ...text('start-at-task', 'start_at_task'),
    ...(job.verbosity > 0 ? [`-${'v'.repeat(Math.min(job.verbosity, mostVerbose))}`] : []),
  ];
}

/** The playbook as an argument: never an option, never out of the project. */
export function playbookArgument(playbook: string): string {
  if (!playbook) throw new SpecError('The job has no playbook: its project is gone, or the template names none.');
  assertText('The playbook', playbook);
  if (playbook.startsWith('/') || playbook.split('/').includes('..'))
    throw new SpecError(`The playbook ${JSON.stringify(playbook)} must be a path inside the project.`);
  return playbook.startsWith('-') ? `./${playbook}` : playbook;
}
