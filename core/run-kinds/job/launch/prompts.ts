import { field } from '@tapline/plugin-sdk';
import { promptsOf } from '../../../runs/prompts/prompts.ts';

/** A job may be asked everything. */
export const jobPrompts = promptsOf([
  'extra_vars',
  'inventory',
  'limit',
  'scm_branch',
  'labels',
  'job_tags',
  'skip_tags',
  'diff_mode',
  'job_type',
  'verbosity',
  'credentials',
  'execution_environment',
  'forks',
  'job_slice_count',
  'timeout',
  'instance_groups',
]);

const credentialPasswords = field.json({ mode: 'wo', help: 'Passwords that the credentials ask for, by name.' });

/** What the body of a launch may hold, for OPTIONS and the API description. */
export const launchFields = {
  ...Object.fromEntries(jobPrompts.map((prompt) => [prompt.name, prompt.field])),
  credential_passwords: credentialPasswords,
};

/** What a launch will ask for, as GET tells it. */
export const launchInfoFields = {
  can_start_without_user_input: field.boolean(),
  passwords_needed_to_start: field.list(),
  ...Object.fromEntries(jobPrompts.map(({ flag }) => [flag, field.boolean()])),
  survey_enabled: field.boolean(),
  variables_needed_to_start: field.list(),
  credential_needed_to_start: field.boolean(),
  inventory_needed_to_start: field.boolean(),
  job_template_data: field.json({ help: 'Number, name and description of the template.' }),
  defaults: field.json({ help: 'What it runs with where nothing is given.' }),
};

/** What a relaunch will ask for; the counts are a sentence while the job runs. */
export const relaunchInfoFields = {
  passwords_needed_to_start: field.list(),
  retry_counts: field.computed({
    compute: () => null,
    apiType: 'json',
    help: 'How many hosts there are to run on again.',
  }),
};

/** What the body of a relaunch may hold; passwords may stand beside it by their own names as well. */
export const relaunchFields = {
  hosts: field.choice(
    [
      ['all', 'All'],
      ['failed', 'Failed'],
    ],
    { default: 'all', help: 'Run on all hosts again, or on those that failed.' },
  ),
  credential_passwords: credentialPasswords,
};
