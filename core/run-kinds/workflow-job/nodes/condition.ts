import { type Columns, saysWhatIsWrong, ValidationError } from '@tapline/plugin-sdk';
import type { WorkflowServices } from '../services.ts';

const triggers: readonly unknown[] = ['success', 'failure', 'always'];
const operators: readonly unknown[] = ['eq', 'ne'];
const longest = 4096;

/**
 * What a condition asks for: that an artifact is what is expected, or in its place that an expression over `artifacts` and
 * `status` holds. @throws ValidationError
 */
export async function readCondition(services: Pick<WorkflowServices, 'sandbox'>, body: Columns) {
  const { trigger = 'success', artifact_key: key = '', operator = 'eq', expected_value: expected = '' } = body;
  const { expression = '' } = body;
  const errors: Record<string, string[]> = {};
  const choice = (value: unknown) => [`"${String(value).slice(0, 100)}" is not a valid choice.`];
  if (!triggers.includes(trigger)) errors['trigger'] = choice(trigger);
  if (!operators.includes(operator)) errors['operator'] = choice(operator);
  const text = typeof expected === 'string' ? expected : (JSON.stringify(expected) ?? '');
  if (text.length > longest || text.includes('\0'))
    errors['expected_value'] = [`Must not be longer than ${longest} characters.`];
  const wrong = expression === '' ? keyProblem(key) : key === '' ? undefined : 'An expression takes the place of it.';
  if (wrong) errors['artifact_key'] = [wrong];
  const unfit = expression === '' ? undefined : await expressionProblem(services, expression);
  if (unfit) errors['expression'] = [unfit];
  if (Object.keys(errors).length) throw new ValidationError(errors);
  return { trigger, operator, artifact_key: key, expected_value: text, expression };
}

const keyProblem = (key: unknown) =>
  typeof key !== 'string' || !key.trim() || key.length > 512 || key.includes('\0')
    ? 'The name of an artifact is required, of 512 characters at most.'
    : undefined;

/** What it finds in artifacts is not known here; what is no expression, or has no end, is told to whoever writes it. */
async function expressionProblem({ sandbox }: Pick<WorkflowServices, 'sandbox'>, expression: unknown) {
  if (typeof expression !== 'string' || !expression.trim() || expression.length > longest || expression.includes('\0'))
    return `Must be a text of ${longest} characters at most.`;
  try {
    await sandbox.evaluate(expression, { artifacts: {}, status: 'successful' });
  } catch (error) {
    if (!saysWhatIsWrong(error)) throw error;
    if (['syntax', 'timeout', 'memory'].includes(error.kind)) return error.message.slice(0, 500);
  }
  return undefined;
}
