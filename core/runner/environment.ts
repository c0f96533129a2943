import { SpecError } from '@tapline/plugin-sdk';
import { dangerousVariable } from '../credentials/reserved-environment.ts';

/** One argument or variable may have 128 KiB on Linux, the terminating NUL included. */
export const longestString = 128 * 1024 - 1;
/** All of them together; the kernel's limit is a quarter of the stack, 2 MiB, at least 128 KiB are kept free. */
const longestTotal = 1.8 * 1024 * 1024;

export function assertEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new SpecError(`${JSON.stringify(name)} cannot be the name of an environment variable.`);
    if (dangerousVariable.test(name)) throw new SpecError(`The environment variable ${name} may not be set for a job.`);
    assertText(`The environment variable ${name}`, value);
  }
}

/** @throws SpecError where the operating system would refuse the text */
export function assertText(what: string, value: string): void {
  if (value.includes('\0')) throw new SpecError(`${what} contains a NUL character, which no program can be given.`);
  if (Buffer.byteLength(value) > longestString)
    throw new SpecError(`${what} is longer than 128 KiB, which no program can be given.`);
}

export function assertArguments(argv: string[], env: Record<string, string>): void {
  const total = [...argv, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].reduce(
    (sum, text) => sum + Buffer.byteLength(text) + 9,
    0,
  );
  if (total > longestTotal)
    throw new SpecError('The command line and the environment together are longer than the operating system allows.');
}
