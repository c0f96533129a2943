import { type SettingKey, type SettingValues, settingDefinitions } from './definitions.ts';
import type { SettingDefinition } from './definition.ts';
import { environmentLayer, fileLayer } from './overrides.ts';

/** Where a value comes from, weakest first. */
export type SettingOrigin = 'default' | 'file' | 'database' | 'environment';

export interface SettingState {
  key: string;
  value: unknown;
  /** what it falls back to once nothing is stored */
  fallback: unknown;
  origin: SettingOrigin;
  /** also when the environment hides it */
  stored: boolean;
  definition: SettingDefinition;
}

export interface Settings {
  /** In memory: as cheap as a map. */
  get<K extends SettingKey>(key: K): SettingValues[K];
  /** Every setting as it stands, for the settings pages and for support. */
  all(): SettingState[];
  state(key: string): SettingState | undefined;
  /** Takes over what `read` finds in the database. Calls follow one another, so an older reading never hides a newer. */
  refresh(read: () => Promise<ReadonlyMap<string, unknown>>): Promise<void>;
}

interface Deps {
  config: { settings: Record<string, string>; dataDir?: string; host?: string; port?: number };
  /** those of plugins */
  more?: Record<string, SettingDefinition>;
  /** keys of plugins that were left out */
  idle?: readonly string[];
}

/** Default, file, database, environment: the later wins. The database comes in by `refresh`. */
export function createSettings({ config, more = {}, idle }: Deps): Settings {
  const clash = Object.keys(more).find((key) => Object.hasOwn(settingDefinitions, key));
  if (clash) throw new Error(`the setting ${clash} is defined already: give yours another key`);
  const definitions: Record<string, SettingDefinition> = { ...settingDefinitions, ...more };
  const own = ownDefaults(config);
  const file = fileLayer(definitions, config.dataDir, idle);
  const environment = environmentLayer(definitions, config.settings);
  let states = new Map<string, SettingState>();
  const apply = (stored: ReadonlyMap<string, unknown>) => {
    const layers = { file, database: stored, environment };
    states = new Map(
      Object.entries(definitions).map(([key, definition]) => [
        key,
        stateOf(key, definition, own[key] ?? definition.default, layers),
      ]),
    );
  };
  apply(new Map());
  let last: Promise<void> = Promise.resolve();
  return {
    get: (key) => states.get(key)?.value as never,
    all: () => [...states.values()],
    state: (key) => states.get(key),
    refresh(read) {
      const turn = last.then(async () => apply(await read()));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

type Layers = Record<'file' | 'database' | 'environment', ReadonlyMap<string, unknown>>;

function stateOf(key: string, definition: SettingDefinition, own: unknown, layers: Layers): SettingState {
  const { file, database, environment } = layers;
  const fallback = file.has(key) ? file.get(key) : own;
  const state = { key, definition, fallback, stored: database.has(key) };
  if (environment.has(key)) return { ...state, value: environment.get(key), origin: 'environment' };
  if (database.has(key)) return { ...state, value: database.get(key), origin: 'database' };
  return { ...state, value: fallback, origin: file.has(key) ? 'file' : 'default' };
}

/** Defaults that depend on where the service runs. */
function ownDefaults({ dataDir, host, port }: Deps['config']): Record<string, unknown> {
  return {
    ...(dataDir ? { LOG_AGGREGATOR_MAX_DISK_USAGE_PATH: dataDir } : {}),
    ...(host && port ? { TOWER_URL_BASE: `http://${host.includes(':') ? `[${host}]` : host}:${port}` } : {}),
  };
}
