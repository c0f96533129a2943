import { t } from '../texts/t.ts';
import { isMap, parseDocument } from 'yaml';
import type { Language } from './language.ts';

/** Longer texts are left to the service: a page must not stop while somebody types. */
const longest = 200_000;

/** What is wrong with a text, in words with the line; '' where nothing is known to be. The service has the last word. */
export function checkCode(text: string, language: Language): string {
  if (text.trim() === '' || text.length > longest) return '';
  if (language === 'json') return jsonProblem(text);
  return language === 'yaml' ? yamlProblem(text) : '';
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return t`No JSON yet: ${(error as Error).message}`;
  }
}

/** YAML 1.1, as the engine reads it; JSON is part of it. */
function yamlProblem(text: string): string {
  const { errors, contents } = parseDocument(text, { version: '1.1', prettyErrors: true, logLevel: 'silent' });
  const [first] = errors;
  if (first)
    return t`Line ${first.linePos?.[0].line ?? 1}: ${first.message.split('\n')[0]!.replace(/ at line.*$/, '')}`;
  return contents === null || isMap(contents) ? '' : t`Variables are names with values, as in colour: green.`;
}
