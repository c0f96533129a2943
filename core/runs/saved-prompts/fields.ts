import { type Columns, field } from '@tapline/plugin-sdk';
import { jobTypes, verbosities } from '../prompts/prompts.ts';
import { INT_MAX } from '../prompts/values.ts';

/** null: not set; '' is a value. */
const unset = { nullable: true, default: null } as const;
const count = { ...unset, min: 0, max: INT_MAX } as const;

/** contract, part B2 */
export const savedPromptFields = {
  extra_data: field.json({ orText: true, help: 'Variables and answers to the survey.' }),
  inventory: field.ref('inventory'),
  scm_branch: field.string({ ...unset, max: 1024 }),
  job_type: field.choice([['', ''], ...jobTypes], unset),
  job_tags: field.text(unset),
  skip_tags: field.text(unset),
  limit: field.text(unset),
  diff_mode: field.boolean(unset),
  verbosity: field.choice(verbosities, unset),
  execution_environment: field.ref('execution_environment'),
  forks: field.integer(count),
  job_slice_count: field.integer(count),
  timeout: field.integer({ ...unset, min: -INT_MAX, max: INT_MAX }),
};

export const savedPromptNames = Object.keys(savedPromptFields);

export const columnOf = (name: string) =>
  name === 'inventory' || name === 'execution_environment' ? `${name}_id` : name;

/** All columns of a saved set but for its secrets. */
export const savedColumns = savedPromptNames.map(columnOf);

/** All of them as they are where nothing is saved, by column. */
export const nothingSaved: Columns = {
  ...Object.fromEntries(savedColumns.map((name) => [name, null])),
  extra_data: {},
};

/** The columns of a row that a launch is given, by the names of prompts; `extra_data` is what its variables are made of. */
export function valuesOf(row: Columns): Record<string, unknown> {
  const set = savedPromptNames
    .filter((name) => name !== 'extra_data')
    .map((name) => [name, row[columnOf(name)] ?? null] as const)
    .filter(([name, value]) => value !== null && !(name === 'job_type' && value === ''));
  return Object.fromEntries(set);
}
