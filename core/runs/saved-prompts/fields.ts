import type { Columns, Field } from '@tapline/plugin-sdk';
import { prompts } from '../prompts/prompts.ts';

/** Of every row with a set of saved prompts: those that are kept in a field. */
export const savedPromptFields: Record<string, Field> = Object.fromEntries(
  prompts.flatMap(({ name, saved }) => ('field' in saved ? [[saved.name ?? name, saved.field] as const] : [])),
);

export const savedPromptNames = Object.keys(savedPromptFields);

export const columnOf = (name: string): string => (savedPromptFields[name]?.type === 'ref' ? `${name}_id` : name);

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

/** The lists of a saved set, by the prompts' names, with which their tables' names end. */
export const listsOfSaved = prompts.flatMap(({ name, saved }) => ('list' in saved ? [{ name, ...saved.list }] : []));
