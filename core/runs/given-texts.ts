import { AsyncLocalStorage } from 'node:async_hooks';
import { ValidationError } from '@tapline/plugin-sdk';
import { longestGiven } from '../hooks/tap.ts';

type Texts = Readonly<Record<string, string>>;

// A context and no argument: bodies of launches come in by many ways, which know nothing of taps.
const current = new AsyncLocalStorage<Texts>();

/** What a body holds of the texts that taps take. @throws ValidationError */
export function readGiven(names: readonly string[], body: Readonly<Record<string, unknown>>): Texts {
  const problems: Record<string, string[]> = {};
  const given: Record<string, string> = {};
  for (const name of names.filter((one) => Object.hasOwn(body, one))) {
    const text = body[name] ?? '';
    if (typeof text !== 'string') problems[name] = ['Not a valid string.'];
    else if (text.length > longestGiven)
      problems[name] = [`Ensure this field has no more than ${longestGiven} characters.`];
    else if (text.includes('\0') || !text.isWellFormed())
      problems[name] = ['Null characters and unpaired surrogates are not allowed.'];
    else if (text.trim()) given[name] = text.trim();
  }
  if (Object.keys(problems).length) throw new ValidationError(problems);
  return given;
}

export const withGiven = <T>(given: Texts, work: () => Promise<T>): Promise<T> => current.run(given, work);

/** Of the request that waits for the launch. */
export const givenTexts = (): Texts => current.getStore() ?? {};
