import { type Action, type PluginApi, type Rule, ValidationError } from '@tapline/plugin-sdk';
import type { Window } from '../calendar.ts';
import { joined } from '../spans.ts';

const most = 50;
const schema = {
  type: 'object',
  required: ['count', 'results'],
  additionalProperties: false,
  properties: {
    count: { type: 'integer' },
    results: {
      type: 'array',
      items: {
        type: 'object',
        required: ['start', 'end'],
        additionalProperties: false,
        properties: { start: { type: 'string', format: 'date-time' }, end: { type: 'string', format: 'date-time' } },
      },
    },
  },
};

/** `calendars/N/spans/?from=`: for whoever plans a launch. */
export const spansAction = (api: PluginApi, access: Rule): Action => ({
  access: { GET: access },
  summary: `The next ${most} spans of time of its windows that end after ?from=, an ISO 8601 time, or after now`,
  answers: { GET: { schema } },
  async handler({ query }, row) {
    const given = query.get('from');
    const from = given === null ? api.clock.now() : new Date(given);
    if (Number.isNaN(from.getTime()) || Math.abs(from.getFullYear()) > 9000)
      throw ValidationError.field('from', 'Enter a valid date/time.');
    const windows = row['windows'] as readonly Window[];
    const found = await Promise.all(
      windows.map((window) => api.recurrence.spans({ ...window, zone: String(row['timezone']) }, { from, most })),
    );
    const spans = joined(found.flat().map(({ start, end }) => ({ start: start.getTime(), end: end.getTime() })));
    const results = spans
      .slice(0, most)
      .map(({ start, end }) => ({ start: new Date(start).toISOString(), end: new Date(end).toISOString() }));
    return { status: 200, body: { count: results.length, results } };
  },
});
