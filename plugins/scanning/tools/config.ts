import { z } from '@tapline/plugin-sdk';
import type { Tool } from '../scanner.ts';

const names = z
  .array(z.string().regex(/^[A-Za-z0-9][\w.[\]:-]{0,99}$/, 'must be names of rules'), 'must be a list')
  .max(200);
const path = z
  .string('must be a text')
  .min(1)
  .max(500)
  .refine((text) => !/^[/-]|(^|\/)\.\.(\/|$)|[\0\n]/.test(text), 'must be a path within the project');

/** What `config` of a scanner may hold, by its tool. */
export const configSchemas = {
  playbook_lint: z.strictObject({
    profile: z.enum(['min', 'basic', 'moderate', 'safety', 'shared', 'production']).optional(),
    skip: names.optional(),
    exclude: z.array(path, 'must be a list').max(100).optional(),
  }),
  iac_scan: z.strictObject({ checks: names.optional(), skip: names.optional() }),
  dependency_audit: z.strictObject({ requirements_file: path.optional(), ignore: names.optional() }),
} satisfies Record<Tool, z.ZodType>;

export type ConfigOf<T extends Tool> = z.infer<(typeof configSchemas)[T]>;

/** What is wrong with it, in one line for each part; nothing when it fits. */
export function configProblems(tool: Tool, config: unknown): string[] {
  const { error } = configSchemas[tool].safeParse(config);
  return error?.issues.map(({ path: at, message }) => (at.length ? `${at.join('.')}: ${message}` : message)) ?? [];
}
