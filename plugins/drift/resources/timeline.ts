import { type Action, authenticated, type Call, type PluginApi, ValidationError, z } from '@tapline/plugin-sdk';
import { happened, mostEntries } from './timeline-entries.ts';

const day = 86_400_000;
const week = 7 * day;

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});
const schema = closed({
  from: { type: 'string', format: 'date-time' },
  to: { type: 'string', format: 'date-time' },
  count: { type: 'integer' },
  complete: { type: 'boolean', description: `false: only the newest ${mostEntries} are told, or a source failed` },
  failed: { type: 'array', items: { type: 'string' }, description: 'kinds whose source failed: none of them is told' },
  results: {
    type: 'array',
    items: closed({
      at: { type: 'string', format: 'date-time' },
      kind: { type: 'string', description: 'run, event, snapshot, drift, alert, or what a plugin tells' },
      id: { type: 'integer' },
      summary: { type: 'string' },
      url: { type: 'string' },
    }),
  },
});

/** `hosts/N/timeline/?from=&to=`: what was done to a host and what was found on it, newest first. */
export const timelineAction = (api: PluginApi): Action => ({
  access: { GET: authenticated },
  summary:
    'Runs and what they changed, snapshots of facts, drift, alerts and what plugins tell of the host between ?from= and ?to=, ISO 8601; the last week unless said',
  answers: { GET: { schema } },
  async handler(call, { id }) {
    const to = timeOf(call, 'to') ?? api.clock.now();
    const from = timeOf(call, 'from') ?? new Date(to.getTime() - week);
    const span = { host: id, from: from.toISOString(), to: to.toISOString() };
    const { entries, complete, failed } = await happened(api, call, span);
    const told = { from: span.from, to: span.to, count: entries.length, complete, failed, results: entries };
    return { status: 200, body: told };
  },
});

const date = z.iso.date();
const [earliest, latest] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];
const instant = z.iso.datetime({ offset: true, local: true });

/** UTC unless it says otherwise; a day alone is all of it. */
function timeOf({ query }: Call, name: 'from' | 'to'): Date | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const isDay = date.safeParse(given).success;
  if (!isDay && !instant.safeParse(given).success)
    throw ValidationError.field(name, 'Enter a date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z.');
  const said = isDay || /(Z|[+-]\d{2}:?\d{2})$/.test(given) ? given : `${given}Z`;
  const time = new Date(Date.parse(said) + (isDay && name === 'to' ? day - 1 : 0));
  if (time < earliest || time > latest)
    throw ValidationError.field(name, 'Enter a time in the years 1 to 9999 of UTC.');
  return time;
}
