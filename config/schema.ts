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

const uids = z.string().transform((text, context) => {
  const [, first, last] = /^(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  const nobody = [65_534, 65_535].some((uid) => uid >= range.first && uid <= range.last);
  if (!(range.first >= 1000 && range.last >= range.first && range.last < 2 ** 31 - 1) || nobody)
    context.addIssue({ code: 'custom', message: 'must be FIRST-LAST, above 999 and without 65534 and 65535' });
  return range;
});

const folders = z
  .string()
  .transform((text) => text.split(':').filter(Boolean))
  .refine((paths) => paths.every((path) => path.startsWith('/')), 'must be absolute paths, separated by colons');

/** The environment variables of the service. Keys of `settings` join as TAPLINE_<KEY>; any other TAPLINE_ key refuses to boot. */
export const environmentSchema = z.object({
  PORT: port.describe('Port of the HTTP server; 0 takes a free one'),
  HOST: z.string().min(1).describe('Address the HTTP server binds'),
  DATABASE_URL: databaseUrl.describe('Postgres server to use; without it an embedded one runs on the data folder'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .describe('Least severe log level written'),
  ENGINE_COMMAND: z.string().describe('Path of an ansible-playbook to use instead of the installed one'),
  CONTAINER_COMMAND: z
    .string()
    .describe('The podman that runs jobs in their execution environments, by name or path; empty = no containers'),
  ENGINE_UIDS: uids.describe('User ids of playbooks where the service is root, FIRST-LAST; nobody else may have them'),
  ENGINE_CGROUP: folders.describe('Control groups, separated by colons, below which each run gets one of its own'),
  KUBERNETES_TOKEN_FILE: z
    .string()
    .describe('The token of the service account that vaults of VAULT_KUBERNETES_HOSTS are logged in to with'),
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
