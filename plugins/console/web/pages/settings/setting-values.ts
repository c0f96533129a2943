import type { FieldOption, Values } from '@tapline/console-kit';

export interface SettingOption extends FieldOption {
  category: string;
  category_slug: string;
  /** the environment decides: nobody changes it here */
  defined_in_file: boolean;
  origin?: string;
  unit?: string;
}

const structured = new Set(['list', 'nested object', 'object', 'json', 'map']);

export const isStructured = ({ type }: FieldOption): boolean => structured.has(type);

/** As the form holds it. */
export function settingValue(option: FieldOption, value: unknown): any {
  if (option.type === 'boolean') return Boolean(value);
  if (isStructured(option) || (typeof value === 'object' && value !== null))
    return JSON.stringify(value ?? null, null, 2);
  return value === null || value === undefined ? '' : String(value);
}

/** What was changed, as the API takes it. What is no JSON is sent as it was typed: the service says so at its field. */
export function settingBody(
  shown: Record<string, SettingOption>,
  values: Values,
  start: Values,
): Record<string, unknown> {
  const changed = Object.keys(shown).filter((name) => values[name] !== start[name]);
  return Object.fromEntries(changed.map((name) => [name, sent(shown[name]!, values[name])]));
}

function sent(option: SettingOption, value: any): unknown {
  if (option.type === 'boolean') return value;
  if (option.type === 'integer' || option.type === 'float')
    return value === '' || Number.isNaN(Number(value)) ? value || null : Number(value);
  if (!isStructured(option)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
