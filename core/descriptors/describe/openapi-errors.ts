import { integer, listOf, mapOf, record, type Schema, text } from './json-schema.ts';

type Name = 'Error' | 'Invalid' | 'Messages' | 'Problem' | 'Denial';

/** Capital letters keep these apart from the types of resources. */
export const told = (name: Name): Schema => ({ $ref: `#/components/schemas/${name}` });
const content = (name: Name) => ({
  'application/json': { schema: told(name) },
  'application/problem+json': { schema: told('Problem') },
});

/** How everything that goes wrong is told; a plugin's guard or tap may add keys of its own. */
export const errorSchemas: Record<Name, Schema> = {
  Error: {
    type: 'object',
    description: '`detail` says what is wrong, or `error` where clients look for that.',
    properties: {
      detail: text,
      error: text,
      active_jobs: listOf(record({ id: integer, type: text })),
    },
    anyOf: [{ required: ['detail'] }, { required: ['error'] }],
    additionalProperties: true,
  },
  Invalid: {
    type: 'object',
    description:
      'The messages of each wrong field under its name; what is wrong with the whole under `__all__`, `detail`, `error` or `msg`.',
    minProperties: 1,
    additionalProperties: told('Messages'),
  },
  Messages: {
    anyOf: [text, listOf({ anyOf: [text, mapOf(told('Messages'))] }), mapOf(told('Messages'))],
  },
  Problem: {
    description: 'RFC 9457, to whoever accepts `application/problem+json`.',
    ...record(
      {
        type: text,
        title: text,
        status: integer,
        detail: {},
        code: text,
        errors: mapOf({}),
        instance: text,
        request_id: text,
      },
      ['errors'],
    ),
  },
  Denial: { type: 'object', description: 'The word of the policy, quota or scan that refused the launch.' },
};

/** What can be answered instead of what was asked for, by any operation. */
export const refusals: Record<string, Schema> = {
  invalid: { description: 'Something in the request is wrong.', content: content('Invalid') },
  refused: { description: 'Refused, or failed.', content: content('Error') },
  denied: { description: 'Not allowed, or denied by a plugin.', content: content('Denial') },
};

const response = (name: string): Schema => ({ $ref: `#/components/responses/${name}` });

export const refusal = { 400: response('invalid'), default: response('refused') };

/** A tap that denies a launch says so in its own words. */
export const launchRefusal = { ...refusal, default: response('denied') };

/** What OPTIONS answers on every path. */
export const optionsSchema: Schema = {
  description: 'What OPTIONS answers on every path.',
  ...record(
    {
      name: text,
      description: text,
      renders: listOf(text),
      parses: listOf(text),
      actions: { ...mapOf(mapOf(mapOf({}))), description: 'What the caller may send, by method and field.' },
      types: listOf(text),
      search_fields: listOf(text),
      related_search_fields: listOf(text),
      object_roles: listOf(text),
      max_page_size: integer,
      parameters: { ...mapOf(mapOf({})), description: 'What the list can be narrowed by besides its filters.' },
    },
    ['actions', 'types', 'search_fields', 'related_search_fields', 'object_roles', 'max_page_size', 'parameters'],
  ),
};
