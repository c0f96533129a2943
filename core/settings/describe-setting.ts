import { categoryName } from './categories.ts';
import type { SettingFact } from './facts.ts';
import { isWritable } from './plan-change.ts';
import type { ShownSetting } from './shown-settings.ts';

type Entry = Record<string, unknown>;

const types: Record<ShownSetting['definition']['type'], string> = {
  integer: 'integer',
  boolean: 'boolean',
  string: 'string',
  url: 'url',
  list: 'list',
  choice: 'choice',
  map: 'nested object',
  numbers: 'nested object',
  object: 'nested object',
  image: 'string',
  timestamp: 'datetime',
};

const children: Partial<Record<ShownSetting['definition']['type'], string>> = {
  list: 'string',
  map: 'string',
  numbers: 'integer',
};

const labelOf = (key: string) => (key.charAt(0) + key.slice(1).toLowerCase()).replaceAll('_', ' ');

const place = (slug: string) => ({ category: categoryName(slug), category_slug: slug });

/** What OPTIONS says under GET. */
export function describeSetting(setting: ShownSetting): Entry {
  const { key, definition, value, origin } = setting;
  const { type, category, help, label, min, max, unit, choices, secret } = definition;
  const entry: Entry = {
    type: types[type],
    label: label ?? labelOf(key),
    help_text: help,
    ...place(category),
    // such a value cannot be changed here: clients show it so
    defined_in_file: !isWritable(setting),
    origin,
    filterable: false,
  };
  if (min !== undefined) entry.min_value = min;
  if (max !== undefined) entry.max_value = max;
  if (unit) entry.unit = unit;
  // its value reads $encrypted$ where one is set
  if (secret) entry.secret = true;
  if (children[type]) entry.child = { type: children[type] };
  // clients offer what is allowed now as the modules to choose from
  const offered = key === 'AD_HOC_COMMANDS' ? (value as readonly string[]) : choices;
  if (offered) entry.choices = offered.map((choice) => [choice, choice || '---------']);
  return entry;
}

/** What it says under PUT. */
export const describeChange = (setting: ShownSetting): Entry => ({
  ...describeSetting(setting),
  required: false,
  default: setting.fallback,
});

export const describeFact = (key: string, { type, category, help }: SettingFact): Entry => ({
  type,
  label: labelOf(key),
  help_text: help,
  ...place(category),
  defined_in_file: false,
  filterable: false,
});
