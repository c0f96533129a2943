import { ValidationError, z } from '@tapline/plugin-sdk';
import { actionTypes, type Condition, type RuleAction } from '../rule.ts';

const most = { conditions: 50, actions: 20 };
const description = z.string().max(500).default('');

const conditions = z.array(z.strictObject({ jinja2_expression: z.string().trim().min(1).max(4096), description }));

const actions = z.array(
  z.strictObject({
    action_type: z.enum(actionTypes),
    target_id: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    extra_vars: z.record(z.string(), z.unknown()).default({}),
    description,
  }),
);

export const readConditions = (given: unknown): Condition[] => read('conditions', 'Condition', conditions, given);
export const readActions = (given: unknown): RuleAction[] => read('actions', 'Action', actions, given);

/** @throws ValidationError under the field, with a message for each that is wrong */
function read<T>(field: keyof typeof most, word: string, schema: z.ZodType<T[]>, given: unknown): T[] {
  if (Array.isArray(given) && given.length > most[field])
    throw ValidationError.field(field, `More than ${most[field]} are not supported.`);
  const { data, error } = schema.safeParse(given);
  if (data) return data;
  const messages = error!.issues.map(({ path: [index, ...path], message }) => {
    const place = typeof index === 'number' ? `${word} ${index + 1}` : word;
    return `${[place, ...path].map(String).join(', ')}: ${message}`;
  });
  throw new ValidationError({ [field]: messages.slice(0, 20) });
}
