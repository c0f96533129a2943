import { expressionProblem } from '../yaml/expressions.ts';

/** What is wrong with a limit or host pattern, or undefined: the engine reads a part that begins with @ from a file of that name. */
export const limitProblem = (limit: string): string | undefined =>
  /(?:^|[\s,:;])@/.test(limit) ? 'A limit cannot name a file (@).' : expressionProblem(limit);
