import type { Condition } from './filter-value.ts';
import { asText, escapeLike } from './filter-value.ts';
import { badFilter } from './filter-key.ts';
import { expand, type Model, type ModelField } from '../model.ts';
import { storable } from './scalar.ts';

const usual = ['username', 'first_name', 'last_name', 'email', 'name', 'description'];
const maxWords = 50;

export function searchFields(model: Model, extra: readonly string[] = []): ModelField[] {
  const names = model.resource.search ?? [...usual, ...extra];
  return names
    .map((name) => model.fields.get(name))
    .filter((field) => field?.sql !== undefined && !field.field.secret && !field.field.read) as ModelField[];
}

/** Words parted by blanks and commas; quotes keep a phrase together. */
export function searchWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|[^\s,]+/g)]
    .map((match) => match[1] ?? match[2] ?? match[0])
    .filter(Boolean);
}

const searched = (field: ModelField, alias: string) =>
  field.field.searchSql ? `(${expand(field.field.searchSql, alias)})` : asText(field, alias);

/** One condition per word: it occurs in at least one search field. */
export function searchConditions(model: Model, text: string, extra: readonly string[] = []): Condition[] {
  if (!storable(text)) throw badFilter('search: the value holds a character that cannot be stored.');
  const fields = searchFields(model, extra);
  const words = searchWords(text);
  if (words.length > maxWords) throw badFilter(`search: more than ${maxWords} words.`);
  return words.map((word) => ({
    sql: (alias) =>
      fields.length ? `(${fields.map((field) => `${searched(field, alias)} ilike ?`).join(' or ')})` : 'false',
    bindings: fields.map(() => `%${escapeLike(word)}%`),
  }));
}
