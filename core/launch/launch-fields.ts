import { field } from '@tapline/plugin-sdk';

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

/** What the body of a copy holds. */
export const copyFields = { name: field.string({ required: true, help: 'The name of the copy.' }) };
