import { ApiError } from '@tapline/plugin-sdk';
import type { Settings } from '../../settings/settings.ts';
import { type Passwords, readPasswords } from './passwords.ts';
import type { Prompt, PromptValues } from './prompt.ts';

export interface LaunchInput extends Passwords {
  /** by prompt name, normalised */
  given: PromptValues;
}

type Readable = Pick<Prompt, 'name' | 'read' | 'column'>;

/** Types only. Unknown keys are dropped; null is never a value here. */
export async function readLaunchBody(
  prompts: readonly Readable[],
  body: Readonly<Record<string, unknown>>,
  settings: Pick<Settings, 'get'>,
): Promise<LaunchInput> {
  const { passwords, errors } = readPasswords(body);
  const given: PromptValues = {};
  const limits = {
    maxForks: Number(settings.get('MAX_FORKS')),
    maxVariables: Number(settings.get('MAX_VARIABLES_LENGTH')),
    maxText: settings.get('MAX_TEXT_LENGTH'),
  };
  for (const prompt of prompts) {
    const sent = sentFor(prompt, body);
    if (sent === undefined) continue;
    try {
      if (sent === null) throw new Error('This field may not be null.');
      // a handful, of which only variables take their time
      // oxlint-disable-next-line no-await-in-loop
      given[prompt.name] = await prompt.read(sent, limits);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      errors[prompt.name] = [(error as Error).message];
    }
  }
  return { given, passwords, errors };
}

/** A record may be named by its column as well, as old clients do: `inventory_id`. */
function sentFor({ name, column }: Readable, body: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(body, name) && body[name] !== undefined) return body[name];
  return column === `${name}_id` && Object.hasOwn(body, column) ? body[column] : undefined;
}
