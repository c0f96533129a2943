import type { Columns, Field } from '@tapline/plugin-sdk';
import { prompts } from '../prompts/prompts.ts';

/** A prompt that is kept in a field: what it is called there, and the column. */
interface SavedField {
  prompt: string;
  name: string;
  column: string;
  field: Field;
}

const savedFields = prompts.flatMap(({ name: prompt, saved }): SavedField[] => {
  if (!('field' in saved)) return [];
  const { field, name = prompt } = saved;
  return [{ prompt, name, field, column: field.type === 'ref' ? `${name}_id` : name }];
});

const byName = new Map(savedFields.map((saved) => [saved.name, saved]));

/** Of every row with a set of saved prompts. */
export const savedPromptFields: Record<string, Field> = Object.fromEntries(
  savedFields.map(({ name, field }) => [name, field]),
);

export const savedPromptNames = Object.keys(savedPromptFields);

export const columnOf = (name: string): string => byName.get(name)?.column ?? name;

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
