import { ValidationError } from '@tapline/plugin-sdk';
import { AsideError, ofAnyLength } from '../yaml/aside.ts';
import { addToYaml } from '../yaml/read-yaml.ts';
import { readVariables, VariablesError } from '../yaml/variables.ts';

const key = 'ansible_ssh_port';
const addTo = ofAnyLength(new URL('../yaml/read-yaml.ts', import.meta.url), addToYaml);

/** Adds the port to variables in whatever form they are written; comments in YAML stay. */
export async function addPort(variables: string, port: number): Promise<string> {
  const text = variables.trim();
  try {
    const known = await readVariables(text, { engineTags: true });
    // where one must be replaced, aliases of it would lose what they refer to
    if (text.startsWith('{') || !Object.keys(known).length || Object.hasOwn(known, key))
      return JSON.stringify({ ...known, [key]: port });
    return await addTo({ text, key, value: String(port) });
  } catch (error) {
    if (error instanceof AsideError || error instanceof VariablesError)
      throw ValidationError.field('variables', error.message);
    throw error;
  }
}
