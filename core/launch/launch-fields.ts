import { field } from '@tapline/plugin-sdk';
import { askFlags } from './prompt-types.ts';

const links = (help: string) => field.list({ apiType: 'list_of_ids', help });

/** What the body of a launch may hold, for OPTIONS and the API description; `readLaunchBody` reads it. */
export const launchFields = {
  extra_vars: field.jsonText({ help: 'Variables for the playbook, as JSON or YAML.' }),
  inventory: field.ref('inventory'),
  limit: field.text({ help: 'Which hosts to run on.' }),
  scm_branch: field.string({ max: 1024 }),
  labels: links('Labels that the job gets besides its own.'),
  job_tags: field.text(),
  skip_tags: field.text(),
  diff_mode: field.boolean(),
  job_type: field.choice([
    ['run', 'Run'],
    ['check', 'Check'],
  ]),
  verbosity: field.choice([
    [0, '0 (Normal)'],
    [1, '1 (Verbose)'],
    [2, '2 (More Verbose)'],
    [3, '3 (Debug)'],
    [4, '4 (Connection Debug)'],
    [5, '5 (WinRM Debug)'],
  ]),
  credentials: links('Credentials to run with in place of the template’s own.'),
  credential_passwords: field.json({ mode: 'wo', help: 'Passwords that the credentials ask for, by name.' }),
  execution_environment: field.ref('execution_environment'),
  forks: field.integer({ min: 0 }),
  job_slice_count: field.integer({ min: 0 }),
  timeout: field.integer(),
  instance_groups: links('Instance groups to run on, in order of preference.'),
};

/** What a launch will ask for, as GET tells it. */
export const launchInfoFields = {
  can_start_without_user_input: field.boolean(),
  passwords_needed_to_start: field.list(),
  ...Object.fromEntries(askFlags.map((flag) => [flag, field.boolean()])),
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
  credential_passwords: launchFields.credential_passwords,
};

/** What the body of a copy holds. */
export const copyFields = { name: field.string({ required: true, help: 'The name of the copy.' }) };
