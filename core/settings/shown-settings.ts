import { masked } from '../secrets/masked.ts';
import { checkValue, SettingProblem } from './check-value.ts';
import type { SettingDefinition } from './definition.ts';
import type { SettingOrigin, Settings, SettingState } from './settings.ts';

/** One key as clients see it: a setting, another name of one, or several in one object. */
export interface ShownSetting {
  key: string;
  definition: Pick<SettingDefinition, 'category' | 'help' | 'label' | 'choices' | 'min' | 'max' | 'unit' | 'secret'> & {
    type: SettingDefinition['type'] | 'numbers';
  };
  value: unknown;
  fallback: unknown;
  origin: SettingOrigin;
  stored: boolean;
  /** the settings that it stands for */
  keys: string[];
  /** what a client's value means for those settings. @throws SettingProblem */
  take: (value: unknown) => [key: string, value: unknown][];
}

/** Clients' own name → ours. */
const otherNames: Record<string, string> = { ANSIBLE_FACT_CACHE_TIMEOUT: 'ENGINE_FACT_CACHE_TIMEOUT' };

const tokenLifetimes: Record<string, string> = {
  ACCESS_TOKEN_EXPIRE_SECONDS: 'TOKEN_EXPIRE_SECONDS',
  AUTHORIZATION_CODE_EXPIRE_SECONDS: 'OAUTH2_CODE_EXPIRE_SECONDS',
  REFRESH_TOKEN_EXPIRE_SECONDS: 'OAUTH2_REFRESH_EXPIRE_SECONDS',
};

const strength: SettingOrigin[] = ['default', 'file', 'database', 'environment'];

export function shownSettings(settings: Settings): ShownSetting[] {
  const own = settings.all().map((state) => direct(state.key, state));
  const renamed = Object.entries(otherNames).map(([key, ours]) => direct(key, settings.state(ours)!));
  return [...own, ...renamed, lifetimes(settings)].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function direct(key: string, state: SettingState): ShownSetting {
  const { definition } = state;
  return {
    ...state,
    key,
    keys: [state.key],
    value: definition.secret && state.value ? masked : state.value,
    fallback: definition.secret ? '' : state.fallback,
    take: (value) => {
      if (definition.secret && typeof value === 'string' && value.startsWith(masked)) return [];
      return [[state.key, checkValue(definition, value)]];
    },
  };
}

/** The lifetimes of tokens, which clients know as one object. */
function lifetimes(settings: Settings): ShownSetting {
  const parts = Object.entries(tokenLifetimes).map(([name, key]) => ({ name, state: settings.state(key)! }));
  const open = parts.filter(({ state }) => state.origin !== 'environment');
  const all = (pick: (state: SettingState) => unknown) =>
    Object.fromEntries(parts.map(({ name, state }) => [name, pick(state)]));
  return {
    key: 'OAUTH2_PROVIDER',
    keys: Object.values(tokenLifetimes),
    definition: {
      category: 'authentication',
      type: 'numbers',
      label: 'Lifetimes of tokens',
      unit: 'seconds',
      help: 'Lifetimes of access tokens, authorization codes and refresh tokens, in seconds.',
    },
    value: all(({ value }) => value),
    fallback: all(({ fallback }) => fallback),
    // it can be written as long as one part can
    origin: strength[Math.max(...(open.length ? open : parts).map(({ state }) => strength.indexOf(state.origin)))]!,
    stored: parts.some(({ state }) => state.stored),
    take(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new SettingProblem('Must be an object.');
      return Object.entries(value).map(([name, seconds]) => {
        const part = parts.find((one) => one.name === name);
        if (!part) throw new SettingProblem(`Has no key ${JSON.stringify(name.slice(0, 60))}.`);
        try {
          return [part.state.key, checkValue(part.state.definition, seconds)];
        } catch (error) {
          throw error instanceof SettingProblem ? new SettingProblem(`${name}: ${error.message}`) : error;
        }
      });
    },
  };
}
