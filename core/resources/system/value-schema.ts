import { integer, listOf, mapOf, type Schema, text } from '../../descriptors/describe/json-schema.ts';
import type { SettingFact } from '../../settings/facts.ts';
import type { Settings } from '../../settings/settings.ts';
import { type ShownSetting, shownSettings } from '../../settings/shown-settings.ts';

const types: Record<ShownSetting['definition']['type'] | SettingFact['type'], Schema> = {
  integer,
  boolean: { type: 'boolean' },
  string: text,
  url: text,
  choice: text,
  image: text,
  timestamp: text,
  datetime: { type: ['string', 'null'] },
  list: listOf(text),
  map: mapOf(text),
  numbers: mapOf(integer),
  object: { type: 'object' },
  'nested object': { type: 'object' },
};

/** What a page of settings holds: some of these, by its category; and what may be sent to it. */
export function describeValues(settings: Settings, facts: Record<string, SettingFact>) {
  const shown = shownSettings(settings).map((setting): [string, Schema] => [setting.key, valueSchema(setting)]);
  const fixed = Object.entries(facts).map(([key, { type, help }]) => [key, { ...types[type], description: help }]);
  return {
    values: { type: 'object', properties: Object.fromEntries([...shown, ...fixed]) },
    changes: { type: 'object', properties: Object.fromEntries(shown) },
  };
}

function valueSchema({ definition }: ShownSetting): Schema {
  const { type, help } = definition;
  const nullable = 'nullable' in definition && definition.nullable === true;
  const schema: Schema = { ...types[type], description: help };
  return nullable ? { ...schema, type: [schema.type, 'null'] } : schema;
}
