import { isMap, isScalar } from 'yaml';
import { AsideError, readAside } from './aside.ts';
import { isLongYaml, readYaml } from './read-yaml.ts';

const maxAliasCount = 100;

const reader = { module: new URL(import.meta.url), name: 'variablesProblem' };

/** The same of a text of any length, without keeping the event loop. */
export const findVariablesProblem = async (text: string): Promise<string | undefined> =>
  isLongYaml(text) ? costsTooMuch(readAside<string | undefined>(reader, text)) : variablesProblem(text);

/** What a reader aside was too dear for is a problem of the text like any other. */
export const costsTooMuch = (answer: Promise<string | undefined>): Promise<string | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof AsideError) return error.message;
    throw error;
  });

/** Why a text is no mapping in JSON or YAML; undefined when it is one, or empty. */
export function variablesProblem(text: string): string | undefined {
  if (!text) return undefined;
  let jsonError: string;
  try {
    return mappingProblem(JSON.parse(text));
  } catch (error) {
    jsonError = (error as Error).message;
  }
  const yamlError = yamlProblem(text);
  return yamlError === undefined
    ? undefined
    : `Cannot parse as JSON (error: ${jsonError}) or YAML (error: ${yamlError}).`;
}

function mappingProblem(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return undefined;
  return `A mapping of names to values is needed, in JSON or YAML; this is ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}.`;
}

function yamlProblem(text: string): string | undefined {
  try {
    const document = readYaml(text);
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
    if (!isMap(contents)) return 'the document is not a mapping';
    document.toJS({ maxAliasCount });
    return undefined;
  } catch (error) {
    // RangeError: nested too deeply for the parser; ReferenceError: too many or unknown aliases
    return (error as Error).message;
  }
}
