import { isMap, isScalar } from 'yaml';
import { AsideError, readAside } from './aside.ts';
import { isLongYaml, readYaml } from './read-yaml.ts';

const maxAliasCount = 100;

/**
 * A check of texts of any length that does not keep the event loop. The module must export it under its own name.
 * That a text is too dear to be read is a problem of it like any other.
 */
export function ofAnyLength(module: string, check: (text: string) => string | undefined) {
  const reader = { module: new URL(module), name: check.name };
  return async (text: string): Promise<string | undefined> => {
    if (!isLongYaml(text)) return check(text);
    try {
      return await readAside<string | undefined>(reader, text);
    } catch (error) {
      if (error instanceof AsideError) return error.message;
      throw error;
    }
  };
}

export const findVariablesProblem = ofAnyLength(import.meta.url, variablesProblem);

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
