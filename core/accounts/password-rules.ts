import type { Settings } from '../settings/settings.ts';

/** Beyond this a password is an attack on the hash, not a secret. */
const maxLength = 128;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** What is wrong with a new password; empty when nothing is. */
export function passwordProblems(settings: Pick<Settings, 'get'>, password: string): string[] {
  const problems: string[] = [];
  const least = (number: number, found: number, what: string) => {
    if (found < number) problems.push(`Password must contain at least ${number} ${what}${number === 1 ? '' : 's'}.`);
  };
  least(settings.get('LOCAL_PASSWORD_MIN_LENGTH'), [...password].length, 'character');
  least(settings.get('LOCAL_PASSWORD_MIN_DIGITS'), count(password, /\p{Nd}/gu), 'digit');
  least(settings.get('LOCAL_PASSWORD_MIN_UPPER'), count(password, /\p{Lu}/gu), 'uppercase character');
  least(settings.get('LOCAL_PASSWORD_MIN_SPECIAL'), count(password, /[^\p{L}\p{N}]/gu), 'special character');
  if ([...password].length > maxLength) problems.push(`Ensure this field has no more than ${maxLength} characters.`);
  if (password.includes('\0') || !password.isWellFormed())
    problems.push('Null characters and unpaired surrogates are not allowed.');
  return problems;
}
