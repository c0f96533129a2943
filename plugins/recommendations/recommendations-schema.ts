import { severities } from './rule.ts';
import { scopes } from './scopes.ts';

const text = { type: 'string' };
const recommendation = {
  id: text,
  scope: { type: 'string', enum: scopes },
  severity: { type: 'string', enum: severities },
  title: text,
  why: { ...text, description: 'One or two sentences; names an object that the caller may see.' },
  action_link: { ...text, description: 'Route of the client that helps.' },
};

/** What the description of the API says of the answer. */
export const recommendationsSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 0 },
    results: {
      type: 'array',
      items: { type: 'object', properties: recommendation, required: Object.keys(recommendation) },
    },
  },
  required: ['count', 'results'],
};
