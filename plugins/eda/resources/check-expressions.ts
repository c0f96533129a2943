import { type PluginApi, SandboxError, ValidationError } from '@tapline/plugin-sdk';
import type { Condition } from '../rule.ts';

/** A text that is no expression would make an error of every event: it is told to whoever writes it. */
async function problemOf({ sandbox }: Pick<PluginApi, 'sandbox'>, expression: string): Promise<string | undefined> {
  try {
    await sandbox.evaluate(expression, { event: {}, headers: {} });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // what it finds in real events is not known here
    if (error.kind === 'syntax') return error.message.slice(0, 500);
  }
  return undefined;
}

/** @throws ValidationError under `conditions`, naming each that is wrong */
export async function checkExpressions(api: PluginApi, conditions: readonly Condition[]): Promise<void> {
  const found = await Promise.all(
    conditions.map(async ({ jinja2_expression: expression }, index) => {
      const problem = await problemOf(api, expression);
      return problem === undefined ? [] : [`Condition ${index + 1}: ${problem}`];
    }),
  );
  if (found.flat().length) throw new ValidationError({ conditions: found.flat() });
}

export async function checkGroupBy(api: PluginApi, expression: string): Promise<void> {
  const problem = expression && (await problemOf(api, expression));
  if (problem) throw ValidationError.field('group_by', problem);
}
