import { z } from 'zod';

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const port = z.coerce.number('must be a number').int().min(0).max(65535);

const roles = list.pipe(
  z.array(z.enum(['web', 'worker'], 'knows only the roles web and worker')).min(1, 'needs at least one role'),
);

const databaseUrl = z
  .string()
  .refine((text) => text === '' || /^postgres(ql)?:\/\//.test(text), 'must be a postgres:// URL');

/** The environment variables of the service. Keys of `settings` join as TAPLINE_<KEY>; any other TAPLINE_ key refuses to boot. */
export const environmentSchema = z.object({
  PORT: port.describe('Port of the HTTP server; 0 takes a free one'),
  HOST: z.string().min(1).describe('Address the HTTP server binds'),
  DATABASE_URL: databaseUrl.describe('Postgres server to use; without it an embedded one runs on the data folder'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .describe('Least severe log level written'),
  ENGINE_COMMAND: z.string().describe('Path of an ansible-playbook to use instead of the installed one'),
  ADMIN_PASSWORD: z.string().describe('Password of the first administrator; generated when empty'),
  TAPLINE_DATA: z.string().describe('Folder for everything that must outlive a restart'),
  TAPLINE_ROLES: roles.describe('What this process does: web, worker or both'),
  TAPLINE_PLUGINS: list.describe('Plugins to load, instead of config/plugins.ts'),
  TAPLINE_SECRET_KEY: z.string().describe('Key for secrets at rest, instead of the key ring in the data folder'),
  TAPLINE_NODE_NAME: z
    .string()
    .min(1)
    .max(250)
    .describe('Name of this node; unique and stable, jobs are re-attached by it'),
});

export type Environment = z.infer<typeof environmentSchema>;
export const environmentKeys = Object.keys(environmentSchema.shape) as (keyof Environment)[];
