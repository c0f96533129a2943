import type { Field } from '@tapline/plugin-sdk';
import { objectSchema } from '../engine/openapi-schemas.ts';

/** What the description of the API says about a route that shows objects of these fields. */
export function shownRoute(fields: Record<string, Field>, { list = false } = {}): object {
  const one = { ...objectSchema(fields), required: Object.keys(fields) };
  const page = {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 0 },
      next: { type: ['string', 'null'] },
      previous: { type: ['string', 'null'] },
      results: { type: 'array', items: one },
    },
    required: ['count', 'results'],
  };
  const answer = {
    description: list ? 'All of them.' : 'As it is now.',
    content: { 'application/json': { schema: list ? page : one } },
  };
  return { responses: { 200: answer, default: { description: 'Refused, or failed.' } } };
}
