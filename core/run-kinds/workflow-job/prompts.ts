import { promptsOf } from '../../runs/prompts/prompts.ts';

/** All that a workflow may be asked. */
export const workflowPrompts = promptsOf([
  'extra_vars',
  'inventory',
  'limit',
  'scm_branch',
  'labels',
  'job_tags',
  'skip_tags',
]);

/** What a launch hands on to every node that takes it: where it is null, nothing is said. */
export const handedOn = ['inventory', 'limit', 'scm_branch', 'job_tags', 'skip_tags'] as const;
