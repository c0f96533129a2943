import { categories, severities } from '../detect/classify.ts';

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});
export const counts = (names: readonly string[]) =>
  closed(Object.fromEntries(names.map((name) => [name, { type: 'integer' }])));

const snapshot = closed({
  id: { type: 'integer' },
  host: { type: 'integer' },
  host_name: { type: 'string' },
  captured_at: { type: 'string', format: 'date-time' },
  facts_hash: { type: 'string' },
});

export const compareSchema = closed({
  snapshot_a: snapshot,
  snapshot_b: snapshot,
  same_host: { type: 'boolean' },
  identical: { type: 'boolean' },
  count: { type: 'integer' },
  differences: {
    type: 'array',
    items: closed({
      fact_path: { type: 'string' },
      category: { type: 'string', enum: categories },
      severity: { type: 'string', enum: severities },
      diff_type: { type: 'string', enum: ['added', 'removed', 'changed'] },
      before: {},
      after: {},
      summary: { type: 'string' },
      paths: { type: 'array', items: { type: 'object' } },
    }),
  },
  by_category: counts(categories),
  by_severity: counts(severities),
});
