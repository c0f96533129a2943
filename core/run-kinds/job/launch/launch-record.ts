import type { PlanRequest } from '@tapline/plugin-sdk';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import type { Variables } from '../../../yaml/variables.ts';
import type { LaunchTemplate } from './load.ts';
import type { LaunchCredential } from './passwords.ts';
import { jobPrompts } from './prompts.ts';

/** What is longer stands in `extra_vars` only. */
const longestValue = 1024;
/** Of more variables only the origins are told. */
const mostValues = 200;

export interface Recorded {
  template: LaunchTemplate;
  accepted: PromptValues;
  defaults: Variables;
  /** names of variables that are answers to the survey */
  answers: ReadonlySet<string>;
  /** of the launch, past the prompts */
  given: Pick<PlanRequest, 'variables' | 'belowSchedule'>;
  /** merged, secrets hidden */
  shown: Variables;
  inventory: { id: number; name: string } | null;
  credentials: readonly LaunchCredential[];
  columns: Readonly<Record<string, unknown>>;
}

/** How it came to what a job runs with: what `preview` tells before, and the job keeps. Reads nothing. */
export function launchRecord(launch: Recorded): Record<string, unknown> {
  const { template, accepted, inventory, credentials } = launch;
  const own = new Set(template.credentials.map(({ id }) => id));
  return {
    variables: variablesOf(launch),
    injected: injectedNames(launch),
    inventory: inventory && { id: inventory.id, name: inventory.name, origin: originOf('inventory', accepted) },
    credentials: credentials.map(({ id, name, type }) => ({
      id,
      name,
      kind: type.namespace ?? type.kind,
      origin: own.has(id) ? 'template' : 'prompt',
    })),
    settings: settingsOf(launch),
  };
}

const originOf = (prompt: string, accepted: PromptValues) => (accepted[prompt] === undefined ? 'template' : 'prompt');

function variablesOf({ accepted, defaults, answers, given, shown }: Recorded): unknown[] {
  const origin = (name: string): string => {
    if (Object.hasOwn(given.variables ?? {}, name)) return 'launcher';
    if (answers.has(name)) return 'survey answer';
    if (Object.hasOwn(accepted.extra_vars ?? {}, name)) return 'prompt';
    return Object.hasOwn(defaults, name) ? 'survey default' : 'template';
  };
  return Object.entries(shown).map(([name, value], index) => {
    const told = { name, origin: origin(name) };
    const length = JSON.stringify(value)?.length ?? 0;
    return index < mostValues && length <= longestValue ? { ...told, value } : { ...told, length };
  });
}

/** Known when it begins; each also as `awx_…` and `tower_…`. */
const injectedNames = ({ template, inventory, columns, given }: Recorded): string[] =>
  [
    'job_id',
    'job_launch_type',
    ...(template.id === null ? [] : ['job_template_id', 'job_template_name']),
    ...(template.project?.scm_type ? ['project_revision'] : []),
    ...(template.project?.scm_branch ? ['project_scm_branch'] : []),
    ...(columns['scm_branch'] ? ['job_scm_branch'] : []),
    ...(inventory ? ['inventory_id', 'inventory_name'] : []),
    ...(columns['schedule_id'] ? ['schedule_id', 'schedule_name'] : []),
    ...(columns['parent_part'] ? ['workflow_job_id', 'workflow_job_name', 'workflow_job_launch_type'] : []),
    ...(given.belowSchedule ? ['parent_job_schedule_id', 'parent_job_schedule_name'] : []),
    'execution_node',
  ].map((name) => `svc_${name}`);

/** What a launch may change besides variables and records. */
const settingsOf = ({ accepted, columns }: Recorded): Record<string, unknown> =>
  Object.fromEntries(
    jobPrompts
      .filter(({ name, names, column }) => column && !names && name !== 'extra_vars')
      .map(({ name, column }) => [name, { value: columns[column!], origin: originOf(name, accepted) }]),
  );
