import { ValidationError } from '@tapline/plugin-sdk';

const longest = 512;

/** The name of a copy, which must differ from the original's. @throws ValidationError */
export function copyName(given: unknown, original: string): string {
  const refuse = (message: string) => ValidationError.field('name', message);
  if (given === undefined) throw refuse('This field is required.');
  if (typeof given !== 'string') throw refuse('Not a valid string.');
  const name = given.trim();
  if (!name) throw refuse('This field may not be blank.');
  if ([...name].length > longest) throw refuse(`Ensure this field has no more than ${longest} characters.`);
  if (name.includes('\0') || !name.isWellFormed())
    throw refuse('Null characters and unpaired surrogates are not allowed.');
  if (name === original)
    throw ValidationError.field('__all__', 'The copy needs a name of its own: one like the original already exists.');
  return name;
}
