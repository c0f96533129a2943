import { type Action, authenticated, type PluginApi } from '@tapline/plugin-sdk';

const mostHosts = 10;
const mostDays = 14;

const integer = { type: 'integer' };
const closed = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});
const counted = { count: integer, unacknowledged: integer };
const schema = closed({
  by_host: {
    type: 'array',
    description: `the ${mostHosts} hosts with most of it`,
    items: closed({ host: integer, host_name: { type: 'string' }, ...counted }),
  },
  by_day: {
    type: 'array',
    description: `the last ${mostDays} days (UTC) that have any, in their order`,
    items: closed({ day: { type: 'string', format: 'date' }, ...counted }),
  },
});

/** Where and when there is how much of the list, with its filters. */
export const breakdownAction = (api: PluginApi): Action => ({
  access: { GET: authenticated },
  summary: 'How much drift there is, by host and by day; takes the filters of the list',
  lists: 'drift_detection',
  answers: { GET: { schema } },
  async handler({ rows }) {
    const by = (key: string, sql: string) =>
      rows('drift_detection', (builder, alias) => {
        const raw = (text: string) => builder.client.raw(text.replaceAll('{alias}', `"${alias}"`));
        void builder
          .select(raw(`${sql} as ${key}`), raw('count(*)::integer as count'))
          .select(raw('count(*) filter (where not {alias}.acknowledged)::integer as unacknowledged'))
          .groupByRaw('1');
      });
    const hosts = await by('host', '{alias}.host_id').orderByRaw('2 desc, 1').limit(mostHosts);
    const days = await by('day', `to_char({alias}.created at time zone 'UTC', 'YYYY-MM-DD')`)
      .orderByRaw('1 desc')
      .limit(mostDays);
    const names = await api
      .db('core_hosts')
      .whereIn(
        'id',
        hosts.map(({ host }: { host: number }) => host),
      )
      .select('id', 'name');
    const nameOf = new Map(names.map(({ id, name }) => [id, name]));
    const named = hosts.map((row: { host: number }) => ({ ...row, host_name: nameOf.get(row.host) ?? '' }));
    return { status: 200, body: { by_host: named, by_day: days.toReversed() } };
  },
});
