import { field } from '@tapline/plugin-sdk';
import { readVariables, sameValue, type Variables } from '../../yaml/variables.ts';
import type { Change, Prompt, PromptedTemplate } from './prompt.ts';
import { boolean, branch, choice, forks, id, ids, INT_MAX, integer, limit, tags } from './values.ts';

export const verbosities: [number, string][] = [
  [0, '0 (Normal)'],
  [1, '1 (Verbose)'],
  [2, '2 (More Verbose)'],
  [3, '3 (Debug)'],
  [4, '4 (Connection Debug)'],
  [5, '5 (WinRM Debug)'],
];

export const jobTypes: [string, string][] = [
  ['run', 'Run'],
  ['check', 'Check'],
];

/** Of what is saved, null: not set; '' is a value. */
const unset = { nullable: true, default: null } as const;
const savedCount = { field: field.integer({ ...unset, min: 0, max: INT_MAX }) };
const savedText = { field: field.text(unset) };

const links = (help: string) => field.list({ apiType: 'list_of_ids', help });
const idsOf = (records: readonly { id: number }[]) => records.map((record) => record.id);

/** The web client sends the template's own values back with every launch. */
function changeOfVariables(given: Variables, { variables: own }: PromptedTemplate): Change | undefined {
  const changed = Object.entries(given).filter(
    ([key, value]) => !(Object.hasOwn(own, key) && sameValue(own[key], value)),
  );
  return changed.length ? same(Object.fromEntries(changed)) : undefined;
}

/** A list replaces the template's own, so what counts is all of it; what is left out is only what came new. */
function changeOfCredentials(given: number[], { credentials }: PromptedTemplate): Change | undefined {
  const own = new Set(idsOf(credentials));
  const added = given.filter((one) => !own.has(one));
  if (!added.length && given.length === own.size) return undefined;
  return { accepted: given, ignored: added.length ? added : undefined };
}

const same = (value: unknown): Change => ({ accepted: value, ignored: value });

const variables: Prompt[] = [
  {
    name: 'extra_vars',
    flag: 'ask_variables_on_launch',
    field: field.jsonText({ help: 'Variables for the playbook, as JSON or YAML.' }),
    read: (value, { maxVariables }) => readVariables(value, { maxLength: maxVariables }),
    column: 'extra_vars',
    change: changeOfVariables,
    saved: {
      name: 'extra_data',
      field: field.json({ orText: true, help: 'Variables and answers to the survey.' }),
    },
  },
];

const places: Prompt[] = [
  {
    name: 'inventory',
    flag: 'ask_inventory_on_launch',
    field: field.ref('inventory'),
    read: id,
    column: 'inventory_id',
    saved: { field: field.ref('inventory') },
    names: {
      type: 'inventory',
      table: 'inventories',
      use: { type: 'inventory', field: 'use_role' },
      own: ({ inventory_id: own }) => (own === null ? [] : [own]),
    },
  },
  {
    name: 'limit',
    flag: 'ask_limit_on_launch',
    field: field.text({ help: 'Which hosts to run on.' }),
    read: limit,
    column: 'limit',
    saved: savedText,
  },
  {
    name: 'scm_branch',
    flag: 'ask_scm_branch_on_launch',
    field: field.string({ max: 1024 }),
    read: branch,
    column: 'scm_branch',
    saved: { field: field.string({ ...unset, max: 1024 }) },
    own: ({ scm_branch: own, project }) => own || project?.scm_branch || '',
  },
  {
    name: 'labels',
    flag: 'ask_labels_on_launch',
    field: links('Labels that the job gets besides its own.'),
    read: ids,
    own: () => [],
    saved: { list: { column: 'label_id' } },
    names: { type: 'label', table: 'labels', own: ({ labels }) => idsOf(labels) },
  },
];

const ways: Prompt[] = [
  {
    name: 'job_tags',
    flag: 'ask_tags_on_launch',
    field: field.text(),
    read: tags,
    column: 'job_tags',
    saved: savedText,
  },
  {
    name: 'skip_tags',
    flag: 'ask_skip_tags_on_launch',
    field: field.text(),
    read: tags,
    column: 'skip_tags',
    saved: savedText,
  },
  {
    name: 'diff_mode',
    flag: 'ask_diff_mode_on_launch',
    field: field.boolean(),
    read: boolean,
    column: 'diff_mode',
    saved: { field: field.boolean(unset) },
  },
  {
    name: 'job_type',
    flag: 'ask_job_type_on_launch',
    field: field.choice(jobTypes),
    read: choice(jobTypes.map(([value]) => value)),
    column: 'job_type',
    saved: { field: field.choice([['', ''], ...jobTypes], unset) },
  },
  {
    name: 'verbosity',
    flag: 'ask_verbosity_on_launch',
    field: field.choice(verbosities),
    read: choice(verbosities.map(([value]) => value)),
    column: 'verbosity',
    saved: { field: field.choice(verbosities, unset) },
  },
  {
    name: 'credentials',
    flag: 'ask_credential_on_launch',
    field: links('Credentials to run with in place of the template’s own.'),
    read: ids,
    change: changeOfCredentials,
    saved: { list: { column: 'credential_id' } },
    names: {
      type: 'credential',
      table: 'credentials',
      use: { type: 'credential', field: 'use_role' },
      own: ({ credentials }) => idsOf(credentials),
    },
  },
];

const capacities: Prompt[] = [
  {
    name: 'execution_environment',
    flag: 'ask_execution_environment_on_launch',
    field: field.ref('execution_environment'),
    read: id,
    column: 'execution_environment_id',
    saved: { field: field.ref('execution_environment') },
    names: {
      type: 'execution_environment',
      table: 'execution_environments',
      own: ({ execution_environment_id: own }) => (typeof own === 'number' ? [own] : []),
    },
  },
  {
    name: 'forks',
    flag: 'ask_forks_on_launch',
    field: field.integer({ min: 0 }),
    read: forks,
    column: 'forks',
    saved: savedCount,
  },
  {
    name: 'job_slice_count',
    flag: 'ask_job_slice_count_on_launch',
    field: field.integer({ min: 0 }),
    read: integer(0, INT_MAX),
    saved: savedCount,
  },
  {
    name: 'timeout',
    flag: 'ask_timeout_on_launch',
    field: field.integer(),
    read: integer(-INT_MAX, INT_MAX),
    column: 'timeout',
    saved: { field: field.integer({ ...unset, min: -INT_MAX, max: INT_MAX }) },
  },
  {
    name: 'instance_groups',
    flag: 'ask_instance_groups_on_launch',
    field: links('Instance groups to run on, in order of preference.'),
    read: ids,
    saved: { list: { column: 'instance_group_id', order: 'position' } },
    own: () => [],
    names: {
      type: 'instance_group',
      table: 'instance_groups',
      use: { type: 'instance_group', field: 'use_role' },
    },
  },
];

/** In the order in which clients are told of them. */
export const prompts: readonly Prompt[] = [...variables, ...places, ...ways, ...capacities];

const byName = new Map(prompts.map((prompt) => [prompt.name, prompt]));

/** @throws Error for a name that is not declared above */
export function promptsOf(names: readonly string[] = []): Prompt[] {
  return names.map((name) => {
    const prompt = byName.get(name);
    if (!prompt) throw new Error(`no prompt is called ${name}; there are ${[...byName.keys()].join(', ')}`);
    return prompt;
  });
}
