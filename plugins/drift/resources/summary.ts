import { type Action, authenticated } from '@tapline/plugin-sdk';
import { categories, severities } from '../detect/classify.ts';

const counts = (names: readonly string[]) => ({
  type: 'object',
  required: names,
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
});

const schema = {
  type: 'object',
  required: ['total', 'unacknowledged', 'newest', 'by_category', 'by_severity'],
  additionalProperties: false,
  properties: {
    total: { type: 'integer' },
    unacknowledged: { type: 'integer' },
    newest: { type: ['integer', 'null'], description: 'the highest number of them, for `up_to` of acknowledge' },
    by_category: counts(categories),
    by_severity: counts(severities),
  },
};

interface Counted {
  category: string;
  severity: string;
  count: number;
  unacknowledged: number;
  newest: number;
}

/** How much there is of the list, with its filters. */
export const summaryAction: Action = {
  access: { GET: authenticated },
  summary: 'How much drift there is, by category and severity; takes the filters of the list',
  lists: 'drift_detection',
  answers: { GET: { schema } },
  async handler({ rows }) {
    const counted: Counted[] = await rows('drift_detection', (builder, alias) => {
      void builder
        .groupBy(`${alias}.category`, `${alias}.severity`)
        .select(`${alias}.category`, `${alias}.severity`)
        .count({ count: '*' })
        .max({ newest: `${alias}.id` })
        .select(
          builder.client.raw('count(*) filter (where not ??)::integer as unacknowledged', [`${alias}.acknowledged`]),
        );
    });
    const sum = (some: readonly Counted[], key: 'count' | 'unacknowledged' = 'count') =>
      some.reduce((total, row) => total + Number(row[key]), 0);
    const by = (key: 'category' | 'severity', names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, sum(counted.filter((row) => row[key] === name))]));
    return {
      status: 200,
      body: {
        total: sum(counted),
        unacknowledged: sum(counted, 'unacknowledged'),
        newest: counted.length ? Math.max(...counted.map(({ newest }) => Number(newest))) : null,
        by_category: by('category', categories),
        by_severity: by('severity', severities),
      },
    };
  },
};
