import type { Rule } from '@tapline/plugin-sdk';
import { z } from 'zod';

export const fn = (what: string) =>
  z.custom((value) => typeof value === 'function', `must be a function ${what}`.trim());
export const text = (what: string) => z.string(`must be a text: ${what}`).min(1, `must not be empty: ${what}`);
export const kebab = (what: string) =>
  z.string(`must be a text: ${what}`).regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, `must be kebab-case, like ${what}`);
export const snake = (what: string) =>
  z.string(`must be a text: ${what}`).regex(/^[a-z][a-z0-9_]*$/, `must be snake_case, like ${what}`);

export const zodSchema = (what: string) =>
  z.custom<z.ZodType>(
    (value) => typeof (value as Partial<z.ZodType> | null)?.safeParse === 'function',
    `must be a zod schema ${what}`,
  );

type MaybeRule = Partial<Rule> | null | undefined;
export const isRule = (value: unknown) => {
  const rule = value as MaybeRule;
  return typeof rule?.row === 'function' && typeof rule?.query === 'function';
};
const isAsync = (value: unknown) => typeof value === 'function' && value.constructor.name === 'AsyncFunction';
export const rule = z
  .custom(isRule, 'must be a rule with a row form and a query form: { name, row, query }')
  .refine(
    (given) => !isAsync((given as MaybeRule)?.query),
    'must narrow the query at once: its query form cannot be async',
  );
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export const access = z
  .partialRecord(
    z.enum(methods, `knows only the methods ${methods.join(', ')}`),
    rule,
    'must state a rule for each method; say `everybody` where no credentials are needed',
  )
  .refine((given) => Object.keys(given).length > 0, 'must state a rule for at least one method');
