import type { Route } from '@tapline/plugin-sdk';
import { listOf, mapOf, record, text } from '../../descriptors/describe/json-schema.ts';
import type { Metrics } from '../../observe/metrics.ts';
import { auditor } from '../../rbac/rules.ts';

/** JSON knows no value of what was not measured yet. */
const sample = record({ labels: mapOf({ type: ['string', 'number'] }), value: { type: ['number', 'null'] } });
const shown = mapOf(record({ help_text: text, type: text, samples: listOf(sample) }));

/** The figures of this node under the path that clients know, as text or JSON; `/metrics` has them for collectors. */
export const metricsRoute = ({ metrics: { registry } }: { metrics: Pick<Metrics, 'registry'> }): Route => ({
  path: '/api/v2/metrics/',
  root: 'metrics',
  summary: 'Figures of this node',
  access: { GET: auditor },
  formats: ['txt', 'json'],
  answers: { GET: [{ media: 'text/plain' }, { schema: shown }] },
  async handler({ query, accept = '' }) {
    const format = query.get('format') ?? (accept.includes('application/json') ? 'json' : 'txt');
    if (format !== 'json') return { status: 200, body: await registry.metrics(), type: registry.contentType };
    const all = await registry.getMetricsAsJSON();
    const shown = all.map(({ name, help, type, values }) => [
      name,
      { help_text: help, type, samples: values.map(({ labels, value }) => ({ labels, value })) },
    ]);
    return { status: 200, body: Object.fromEntries(shown) };
  },
});
