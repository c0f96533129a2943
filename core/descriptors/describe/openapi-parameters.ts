import type { ListFormat, Parameter } from '@tapline/plugin-sdk';
import type { Model } from '../model.ts';
import type { Schema } from './json-schema.ts';

const usual = [
  { name: 'page', in: 'query', schema: { type: 'string' }, description: 'A number, or `last`.' },
  { name: 'page_size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 200 } },
  { name: 'search', in: 'query', schema: { type: 'string' }, description: 'Words that must all occur.' },
  { name: 'order_by', in: 'query', schema: { type: 'string' }, description: 'Fields, `-` in front for descending.' },
];

type Formats = Readonly<Record<string, ListFormat>>;

/** What the query of a type's list may hold besides the filters of its fields. */
export const listParameters = ({ resource: { parameters = {}, expression } }: Model, formats: Formats = {}) => [
  ...usual,
  ...(expression
    ? [{ name: expression.parameter, in: 'query', schema: { type: 'string' }, description: expression.help }]
    : []),
  ...Object.entries(parameters).map(([name, parameter]) => ({
    name,
    in: 'query',
    schema: schemaOf(parameter),
    description: parameter.help,
  })),
  ...formatParameter(formats),
];

function formatParameter(formats: Formats): Schema[] {
  const names = Object.keys(formats);
  if (!names.length) return [];
  const told = names.map((name) => `\`${name}\`: ${formats[name]!.help ?? formats[name]!.media}`).join(' ');
  const description = `What the list is written as, all of it where it is not JSON. ${told}`;
  return [{ name: 'format', in: 'query', schema: { type: 'string', enum: ['json', ...names] }, description }];
}

const types: Record<Parameter['type'], Schema> = {
  datetime: { type: 'string', format: 'date-time' },
  date: { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  string: { type: 'string' },
  choice: { type: 'string' },
};

const schemaOf = ({ type, choices, min, max }: Parameter): Schema => ({
  ...types[type],
  ...(choices && { enum: choices }),
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
});
