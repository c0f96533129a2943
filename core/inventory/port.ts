import { ValidationError } from '@tapline/plugin-sdk';
import { AsideError, readAside } from '../engine/aside.ts';
import { isLongYaml, readYaml } from '../engine/read-yaml.ts';
import { parseVariables } from './variables.ts';

const key = 'ansible_ssh_port';

interface PortTask {
  variables: string;
  port: number;
}

/** Adds the port to variables in whatever form they are written; comments in YAML stay. */
export async function addPort(variables: string, port: number): Promise<string> {
  if (!isLongYaml(variables)) return withPort({ variables, port });
  try {
    return await readAside<string>({ module: new URL(import.meta.url), name: 'withPort' }, { variables, port });
  } catch (error) {
    if (error instanceof AsideError) throw ValidationError.field('variables', error.message);
    throw error;
  }
}

export function withPort({ variables, port }: PortTask): string {
  const text = variables.trim();
  if (text.startsWith('{') || !Object.keys(parseVariables(text)).length) {
    return JSON.stringify({ ...parseVariables(text), [key]: port });
  }
  const document = readYaml(text, { version: '1.1' });
  document.set(key, port);
  return document.toString().trim();
}
