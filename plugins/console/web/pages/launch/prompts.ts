import { t } from '@tapline/console-kit/texts';
/** What GET launch/ says. */
export interface LaunchInfo {
  can_start_without_user_input: boolean;
  /** of workflows, neither this nor the next */
  passwords_needed_to_start?: string[];
  inventory_needed_to_start?: boolean;
  survey_enabled?: boolean;
  defaults: Record<string, any>;
  [flag: `ask_${string}`]: boolean;
}

export interface OptionField {
  type: string;
  label: string;
  help_text?: string;
  choices?: [string | number, string][];
}
export type LaunchOptions = Record<string, OptionField>;

type PromptKind = 'code' | 'text' | 'number' | 'check' | 'choice' | 'one' | 'many';

export interface Prompt {
  key: string;
  /** the template's flag that opens it */
  flag: `ask_${string}`;
  kind: PromptKind;
  label: string;
  hint?: string;
  /** where the objects to choose from are listed, below /api/v2/ */
  list?: string;
}

/** In the order in which they stand on the page. */
export const prompts: readonly Prompt[] = [
  { key: 'inventory', flag: 'ask_inventory_on_launch', kind: 'one', label: t`Inventory`, list: 'inventories/' },
  {
    key: 'limit',
    flag: 'ask_limit_on_launch',
    kind: 'text',
    label: t`Limit`,
    hint: t`Only these hosts or groups, such as web:&staging. Empty means all.`,
  },
  {
    key: 'extra_vars',
    flag: 'ask_variables_on_launch',
    kind: 'code',
    label: t`Extra variables`,
    hint: t`YAML or JSON; they win over every other variable.`,
  },
  { key: 'credentials', flag: 'ask_credential_on_launch', kind: 'many', label: t`Credentials`, list: 'credentials/' },
  {
    key: 'job_type',
    flag: 'ask_job_type_on_launch',
    kind: 'choice',
    label: t`Job type`,
    hint: t`A check changes nothing and shows what would change.`,
  },
  { key: 'scm_branch', flag: 'ask_scm_branch_on_launch', kind: 'text', label: t`Branch, tag or commit` },
  {
    key: 'job_tags',
    flag: 'ask_tags_on_launch',
    kind: 'text',
    label: t`Tags`,
    hint: t`Only tasks with one of these, separated by commas.`,
  },
  { key: 'skip_tags', flag: 'ask_skip_tags_on_launch', kind: 'text', label: t`Tags to skip` },
  { key: 'verbosity', flag: 'ask_verbosity_on_launch', kind: 'choice', label: t`Verbosity` },
  { key: 'diff_mode', flag: 'ask_diff_mode_on_launch', kind: 'check', label: t`Show differences of changed files` },
  {
    key: 'forks',
    flag: 'ask_forks_on_launch',
    kind: 'number',
    label: t`Forks`,
    hint: t`Hosts at the same time; 0 leaves it to the engine.`,
  },
  { key: 'job_slice_count', flag: 'ask_job_slice_count_on_launch', kind: 'number', label: t`Slices` },
  { key: 'timeout', flag: 'ask_timeout_on_launch', kind: 'number', label: t`Timeout`, hint: t`Seconds; 0 means none.` },
  { key: 'labels', flag: 'ask_labels_on_launch', kind: 'many', label: t`Labels`, list: 'labels/' },
  {
    key: 'instance_groups',
    flag: 'ask_instance_groups_on_launch',
    kind: 'many',
    label: t`Instance groups`,
    list: 'instance_groups/',
  },
  {
    key: 'execution_environment',
    flag: 'ask_execution_environment_on_launch',
    kind: 'one',
    label: t`Execution environment`,
    list: 'execution_environments/',
  },
];

export type Value = string | boolean | string[];

/** As the form holds it: texts, truth values, lists of ids. */
export function defaultValue({ key, kind }: Prompt, { defaults }: LaunchInfo): Value {
  const value = defaults[key];
  if (kind === 'many') return (Array.isArray(value) ? value : []).map(({ id }: { id: number }) => String(id));
  if (kind === 'one') return value?.id == null ? '' : String(value.id);
  if (kind === 'check') return Boolean(value);
  return value == null ? '' : String(value);
}

/** As the API wants it. An empty link, choice or number is left out: the template's own counts then. */
export function sentValue({ kind }: Prompt, value: Value): unknown {
  if (kind === 'many') return (value as string[]).map(Number);
  if (kind === 'one' || kind === 'number' || kind === 'choice') {
    if (value === '') return undefined;
    return kind === 'one' ? Number(value) : /^-?\d+$/.test(String(value)) ? Number(value) : value;
  }
  return value;
}

const same = (a: Value, b: Value) => JSON.stringify(a) === JSON.stringify(b);

/** Only what differs from the template, which may change until the launch. */
export function launchBody(
  asked: readonly Prompt[],
  info: LaunchInfo,
  values: Record<string, Value>,
  passwords: Record<string, string>,
): Record<string, unknown> {
  const changed = asked.filter((prompt) => !same(values[prompt.key]!, defaultValue(prompt, info)));
  const body = Object.fromEntries(changed.map((prompt) => [prompt.key, sentValue(prompt, values[prompt.key]!)]));
  const given = Object.fromEntries(Object.entries(passwords).filter(([, password]) => password !== ''));
  return Object.keys(given).length ? { ...body, credential_passwords: given } : body;
}
