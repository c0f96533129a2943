import { type SettingDefinition, type SettingKey, type SettingValues, settingDefinitions } from './definitions.ts';

export interface Settings {
  get<K extends SettingKey>(key: K): SettingValues[K];
  /** Every setting as it stands, for the settings page and for support. */
  all(): { key: SettingKey; value: unknown; definition: SettingDefinition }[];
}

/** Environment over default; the database layer goes between them in the settings issue. */
export function createSettings({ config }: { config: { settings: Record<string, string> } }): Settings {
  const values: Record<string, unknown> = {};
  for (const [key, definition] of Object.entries<SettingDefinition>(settingDefinitions)) {
    const text = config.settings[key];
    values[key] = text === undefined ? definition.default : parseSetting(key, definition, text);
  }
  return {
    get: (key) => values[key] as never,
    all: () =>
      Object.entries<SettingDefinition>(settingDefinitions).map(([key, definition]) => ({
        key: key as SettingKey,
        value: values[key],
        definition,
      })),
  };
}

/** @throws naming the key as the operator wrote it, and what it takes */
export function parseSetting(
  key: string,
  definition: SettingDefinition,
  text: string,
): number | boolean | string | string[] {
  const refuse = (wanted: string): never => {
    throw new Error(`TAPLINE_${key} is ${JSON.stringify(text)} but must be ${wanted}. ${definition.help}`);
  };
  const { min = -Infinity, max = Infinity } = definition;
  switch (definition.type) {
    case 'integer': {
      const number = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      const bounds = [
        definition.min === undefined ? '' : ` from ${min}`,
        definition.max === undefined ? '' : ` up to ${max}`,
      ].join('');
      return Number.isSafeInteger(number) && number >= min && number <= max
        ? number
        : refuse(`a whole number${bounds}`);
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : refuse('true or false');
    case 'list':
      if (text.startsWith('['))
        return parseJsonList(text) ?? refuse('a JSON list of texts, or texts separated by commas');
      return text
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
    case 'choice':
      return definition.choices?.includes(text) ? text : refuse(`one of ${definition.choices?.join(', ')}`);
    default:
      return text;
  }
}

function parseJsonList(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
  } catch {
    return null;
  }
}
