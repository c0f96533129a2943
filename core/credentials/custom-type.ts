import { ValidationError } from '@tapline/plugin-sdk';
import { z } from 'zod';
import type { InputSchema } from './input-schema.ts';
import { isReservedVariable } from './reserved-environment.ts';

const name = /^[A-Za-z_][A-Za-z0-9_]*$/;
const text = z
  .string()
  .max(10_000)
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'holds characters that are not allowed');

const fieldSchema = z
  .strictObject({
    id: z
      .string()
      .max(256)
      .regex(name, 'must consist of letters, digits and underscores and not begin with a digit')
      .refine((id) => id !== 'tower', 'is a reserved name'),
    label: text,
    type: z.enum(['string', 'boolean']).default('string'),
    format: z.enum(['ssh_private_key', 'url']).optional(),
    choices: z.array(text.min(1, 'must not be blank')).min(1, 'must not be empty').max(1000).optional(),
    help_text: text.optional(),
    multiline: z.boolean().optional(),
    secret: z.boolean().optional(),
    default: z.union([text, z.boolean()]).optional(),
  })
  .superRefine((field, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (field.type !== 'string') {
      for (const key of ['choices', 'multiline', 'format', 'secret'] as const)
        if (field[key]) refuse(key, `is for fields of type string only`);
    }
    if (field.choices && new Set(field.choices).size < field.choices.length)
      refuse('choices', 'must not repeat a choice');
    if (field.default !== undefined && typeof field.default !== field.type)
      refuse('default', `must be a ${field.type}`);
    if (field.choices && field.default !== undefined && !field.choices.includes(field.default as string))
      refuse('default', 'must be one of the choices');
  });

const inputsSchema = z
  .strictObject({
    fields: z.array(fieldSchema).max(200).optional(),
    required: z.array(z.string()).max(200).optional(),
  })
  .superRefine(({ fields = [], required }, context) => {
    const ids = fields.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice) context.addIssue({ code: 'custom', path: ['fields'], message: `the id ${twice} is used twice` });
    const missing = required?.find((id) => !ids.includes(id));
    if (missing !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['required'],
        message: `names ${JSON.stringify(missing.slice(0, 100))}, which is not a field`,
      });
  });

const envName = z.string().superRefine((key, context) => {
  const refuse = (message: string) =>
    context.addIssue({ code: 'custom', message: `${JSON.stringify(key.slice(0, 100))} ${message}` });
  if (!name.test(key)) refuse('is not a name for an environment variable');
  else if (isReservedVariable(key)) refuse('is reserved: choose another name');
});

const ascii = text.refine((value) => /^[\x20-\x7e\t\n\r]*$/.test(value), 'must be ASCII');
const maxDepth = 20;

/** Templates in any nesting of objects and lists. */
function isTemplates(value: unknown, level = 0): boolean {
  if (typeof value === 'string') return text.safeParse(value).success;
  if (typeof value === 'boolean' || typeof value === 'number') return true;
  if (value === null || typeof value !== 'object' || level > maxDepth) return false;
  return Object.values(value).every((one) => isTemplates(one, level + 1));
}

const injectorsSchema = z.strictObject({
  file: z
    .record(z.string().regex(/^template(\.[A-Za-z_][A-Za-z0-9_]*)?$/, 'must be "template" or "template.<name>"'), text)
    .refine(
      (files) => !('template' in files) || Object.keys(files).length === 1,
      'holds either one "template" or several "template.<name>", not both',
    )
    .optional(),
  env: z.record(envName, ascii).optional(),
  extra_vars: z
    .record(
      z.string(),
      z.custom((value) => isTemplates(value), 'must be text, or lists and objects of text'),
    )
    .optional(),
});

function check<T>(key: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const messages = result.error.issues.slice(0, 20).map((issue) => {
    const inner = 'issues' in issue ? (issue.issues as { message: string }[])[0]?.message : undefined;
    return `${issue.path.map(String).join('.').slice(0, 200)}${issue.path.length ? ': ' : ''}${inner ?? issue.message}`;
  });
  throw new ValidationError({ [key]: messages });
}

/** The `inputs` of a custom type (contract §11.3), with the type of every field filled in. */
export const checkInputSchema = (value: unknown): InputSchema => check('inputs', inputsSchema, value) as InputSchema;

/** The shape of `injectors` (contract §11.4). What their templates say is judged where templates are rendered. */
export const checkInjectors = (value: unknown): Record<string, unknown> => check('injectors', injectorsSchema, value);
