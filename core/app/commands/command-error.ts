/** What the operator can mend, told in words and without a stack; the exit code is 1. */
export class CommandError extends Error {
  override name = 'CommandError';
}
