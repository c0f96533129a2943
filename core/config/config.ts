import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { defaults } from '../../config/default.ts';
import { plugins } from '../../config/plugins.ts';
import { environmentKeys, environmentSchema } from '../../config/schema.ts';
import { enabledEntries, type PluginEntry, readLayer } from './plugin-entries.ts';
import { defaultDataDir } from './data-dir.ts';

export type Role = 'web' | 'worker';

export interface Config {
  version: string;
  /** the folder of the checkout */
  root: string;
  port: number;
  host: string;
  dataDir: string;
  /** '' = the embedded server; boot fills in its address */
  databaseUrl: string;
  roles: Role[];
  logLevel: string;
  /** '' = the engine that set-up installed */
  engineCommand: string;
  /** of playbooks, where the service is root */
  containerCommand: string;
  engineUids: { first: number; last: number };
  /** control groups below which each run gets one of its own */
  engineCgroups: string[];
  /** the token of the service account that the service runs under in a cluster */
  kubernetesTokenFile: string;
  nodeName: string;
  /** those that are switched on */
  plugins: PluginEntry[];
  /** whether the environment says which, and so nothing else does */
  pluginsGiven: boolean;
  /** '' = generate the first administrator's password */
  adminPassword: string;
  /** '' = key ring in the data folder */
  secretKey: string;
  /** TAPLINE_<KEY> overrides of settings, as text; whether there are such settings is known once plugins are loaded */
  settings: Record<string, string>;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
}

export const root = resolve(import.meta.dirname, '../..');
export const version: string = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')).version;

/** @throws ConfigError naming every wrong key and what to do about it */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const settings = settingOverrides(env);
  const fallback: Record<string, string> = {
    ...defaults,
    TAPLINE_DATA: defaultDataDir(root),
    TAPLINE_NODE_NAME: hostname(),
    TAPLINE_PLUGINS: '',
  };
  // an empty variable counts as unset, except where empty says something (no plugins at all, no containers)
  const given = (key: string) =>
    ['TAPLINE_PLUGINS', 'CONTAINER_COMMAND'].includes(key) ? env[key] : env[key] || undefined;
  const parsed = environmentSchema.safeParse(
    Object.fromEntries(environmentKeys.map((key) => [key, given(key) ?? fallback[key]])),
  );
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${String(issue.path[0])}: ${issue.message}`);
    throw new ConfigError(
      `The configuration cannot be used:\n${lines.join('\n')}\nCorrect or unset these environment variables.`,
    );
  }
  const values = parsed.data;
  const dataDir = resolve(values.TAPLINE_DATA);
  return {
    version,
    root,
    port: values.PORT,
    host: values.HOST,
    dataDir,
    databaseUrl: values.DATABASE_URL,
    roles: [...new Set(values.TAPLINE_ROLES)],
    logLevel: values.LOG_LEVEL,
    engineCommand: values.ENGINE_COMMAND,
    containerCommand: values.CONTAINER_COMMAND,
    engineUids: values.ENGINE_UIDS,
    engineCgroups: values.ENGINE_CGROUP,
    kubernetesTokenFile: values.KUBERNETES_TOKEN_FILE,
    nodeName: values.TAPLINE_NODE_NAME,
    plugins: enabledEntries({
      configured: plugins,
      layer: readLayer(dataDir),
      environment: env.TAPLINE_PLUGINS === undefined ? undefined : values.TAPLINE_PLUGINS,
    }),
    pluginsGiven: env.TAPLINE_PLUGINS !== undefined,
    adminPassword: values.ADMIN_PASSWORD,
    secretKey: values.TAPLINE_SECRET_KEY,
    settings,
  };
}

function settingOverrides(env: Record<string, string | undefined>): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith('TAPLINE_') || value === undefined || (environmentKeys as string[]).includes(key)) continue;
    overrides[key.slice('TAPLINE_'.length)] = value;
  }
  return overrides;
}

/**
 * A misspelt key must not be ignored silently: the operator believes it holds.
 * @param settings every key there is, those of plugins included
 * @throws ConfigError naming each unknown key and the likely one
 */
export function assertKnownKeys({ settings: given }: Pick<Config, 'settings'>, settings: readonly string[]): void {
  const unknown = Object.keys(given).filter((key) => !settings.includes(key));
  if (!unknown.length) return;
  const known = [
    ...environmentKeys.filter((key) => key.startsWith('TAPLINE_')),
    ...settings.map((key) => `TAPLINE_${key}`),
  ];
  throw new ConfigError(
    unknown
      .map((key) => `TAPLINE_${key}`)
      .map((key) => `Unknown configuration key ${key}: ${hint(key, known)} or unset it.`)
      .join('\n') + '\n`npm run tapline -- config print` shows all that there are.',
  );
}

function hint(key: string, known: string[]): string {
  const core = (name: string) => name.slice('TAPLINE_'.length);
  const wrong = core(key);
  const shared = (name: string) =>
    [...wrong].filter((letter, index) => core(name)[index] === letter || core(name).at(index - wrong.length) === letter)
      .length;
  const [best] = known.toSorted((a, b) => shared(b) - shared(a));
  return best && shared(best) > wrong.length * 0.7 ? `did you mean ${best}? Rename it` : 'correct its name';
}

const secretKeys = ['adminPassword', 'secretKey'] as const;

/** The configuration as it may be shown. */
export function redactConfig(config: Config): Config {
  const shown = { ...config, databaseUrl: config.databaseUrl.replace(/(\/\/[^:@/]*):[^@]*@/, '$1:[redacted]@') };
  for (const key of secretKeys) if (shown[key]) shown[key] = '[redacted]';
  return shown;
}
