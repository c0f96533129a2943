import { ApiError } from '@tapline/plugin-sdk';
import { branchProblem } from '../scm/url.ts';
import type { Settings } from '../settings/settings.ts';
import { readVariables } from './variables.ts';

/** What a launch may be asked, with the flag that opens it and how its value is read (contract/jobs.md §3). */
export interface Prompt {
  key: string;
  flag: string;
  /** @throws Error with the message for the client */
  read: (value: unknown, limits: { maxForks: number }) => unknown;
}

const text = (max?: number) => (value: unknown) => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new Error('Not a valid string.');
  if (value.includes('\0')) throw new Error('Null characters are not allowed.');
  if (max !== undefined && value.length > max) throw new Error(`Ensure this field has no more than ${max} characters.`);
  return value;
};

const branch = (value: unknown) => {
  const name = text(1024)(value);
  const problem = branchProblem(name);
  if (problem) throw new Error(problem);
  return name;
};

const integer = (min: number, max: number) => (value: unknown) => {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw new Error('A valid integer is required.');
  if (number < min) throw new Error(`Ensure this value is greater than or equal to ${min}.`);
  if (number > max) throw new Error(`Ensure this value is less than or equal to ${max}.`);
  return number;
};

const words = new Map<unknown, boolean>([
  ...['true', 't', 'yes', 'y', 'on', '1', 1, true].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0', 0, false].map((word) => [word, false] as const),
]);
const boolean = (value: unknown) => {
  const word = words.get(typeof value === 'string' ? value.toLowerCase() : value);
  if (word === undefined) throw new Error('Must be a valid boolean.');
  return word;
};

const choice = (legal: readonly (string | number)[]) => (value: unknown) => {
  const found = legal.find((option) => option === value || String(option) === value);
  if (found === undefined) throw new Error(`"${String(value)}" is not a valid choice.`);
  return found;
};

export const id = (value: unknown): number => {
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    const type =
      value === null
        ? 'null'
        : Array.isArray(value)
          ? 'list'
          : typeof value === 'boolean'
            ? 'bool'
            : typeof value === 'string'
              ? 'str'
              : typeof value === 'object'
                ? 'dict'
                : 'float';
    throw new Error(`Incorrect type. Expected pk value, received ${type}.`);
  }
  return value;
};

const ids = (value: unknown): number[] => {
  if (!Array.isArray(value)) throw new Error('Expected a list of items.');
  if (value.length > 1000) throw new Error('Must not hold more than 1000 items.');
  return [...new Set(value.map(id))];
};

const INT_MAX = 2_147_483_647;

export const prompts: readonly Prompt[] = [
  { key: 'extra_vars', flag: 'ask_variables_on_launch', read: readVariables },
  { key: 'inventory', flag: 'ask_inventory_on_launch', read: id },
  { key: 'limit', flag: 'ask_limit_on_launch', read: text() },
  { key: 'scm_branch', flag: 'ask_scm_branch_on_launch', read: branch },
  { key: 'labels', flag: 'ask_labels_on_launch', read: ids },
  { key: 'job_tags', flag: 'ask_tags_on_launch', read: text() },
  { key: 'skip_tags', flag: 'ask_skip_tags_on_launch', read: text() },
  { key: 'diff_mode', flag: 'ask_diff_mode_on_launch', read: boolean },
  { key: 'job_type', flag: 'ask_job_type_on_launch', read: choice(['run', 'check']) },
  { key: 'verbosity', flag: 'ask_verbosity_on_launch', read: choice([0, 1, 2, 3, 4, 5]) },
  { key: 'credentials', flag: 'ask_credential_on_launch', read: ids },
  { key: 'execution_environment', flag: 'ask_execution_environment_on_launch', read: id },
  {
    key: 'forks',
    flag: 'ask_forks_on_launch',
    read: (value, { maxForks }) => {
      const forks = integer(0, INT_MAX)(value);
      if (maxForks && forks > maxForks) throw new Error(`Maximum number of forks (${maxForks}) exceeded.`);
      return forks;
    },
  },
  { key: 'job_slice_count', flag: 'ask_job_slice_count_on_launch', read: integer(0, INT_MAX) },
  { key: 'timeout', flag: 'ask_timeout_on_launch', read: integer(-INT_MAX, INT_MAX) },
  { key: 'instance_groups', flag: 'ask_instance_groups_on_launch', read: ids },
];

export const askFlags = prompts.map((prompt) => prompt.flag);

export interface LaunchInput {
  /** by prompt key, normalised */
  given: Record<string, any>;
  passwords: Record<string, string>;
  errors: Record<string, string[]>;
}

/** Step 2 of a launch: types only. Unknown keys are dropped; null is never a value here. */
export async function readLaunchBody(
  body: Record<string, unknown>,
  settings: Pick<Settings, 'get'>,
): Promise<LaunchInput> {
  const errors: Record<string, string[]> = {};
  const given: Record<string, any> = {};
  const limits = { maxForks: Number(settings.get('MAX_FORKS')) };
  const source: Record<string, unknown> = { ...body };
  if (source['inventory'] === undefined && source['inventory_id'] !== undefined)
    source['inventory'] = source['inventory_id'];
  for (const { key, read } of prompts) {
    if (!Object.hasOwn(source, key) || source[key] === undefined) continue;
    try {
      if (source[key] === null) throw new Error('This field may not be null.');
      const value = read(source[key], limits);
      // long variables, and nothing else
      // oxlint-disable-next-line no-await-in-loop
      given[key] = value instanceof Promise ? await value : value;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      errors[key] = [(error as Error).message];
    }
  }
  return { given, passwords: readPasswords(body, errors), errors };
}

export const isPasswordName = (name: string): boolean =>
  /^(ssh_password|become_password|ssh_key_unlock|vault_password(\..+)?)$/.test(name);

/** In `credential_passwords`, or at the top level where that is missing. */
export function readPasswords(body: Record<string, unknown>, errors: Record<string, string[]>): Record<string, string> {
  const nested = body['credential_passwords'];
  if (nested !== undefined && (typeof nested !== 'object' || nested === null || Array.isArray(nested))) {
    errors['credential_passwords'] = ['Expected a dictionary of items.'];
    return {};
  }
  const source = (nested ?? body) as Record<string, unknown>;
  const passwords: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (!isPasswordName(name) || value === null || value === '') continue;
    if (typeof value !== 'string' || value.includes('\0'))
      errors['credential_passwords'] = [`${name}: Not a valid string.`];
    else passwords[name] = value;
  }
  return passwords;
}
