import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Action, authenticated, type PluginApi } from '@tapline/plugin-sdk';
import { factsOfContent, readContents } from '../capture/read-facts.ts';
import { categories, severities } from '../detect/classify.ts';
import { detectOptions } from '../detect/detect.ts';
import { outliersOf } from '../detect/outliers.ts';

const mostHosts = 500;
const together = 20;

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});
const integer = { type: 'integer' };
const fact = closed({
  fact_path: { type: 'string' },
  category: { type: 'string', enum: categories },
  severity: { type: 'string', enum: severities },
  alike: integer,
});
const outlier = closed({
  host: integer,
  host_name: { type: 'string' },
  snapshot: integer,
  facts: { type: 'array', items: fact },
});
const schema = closed({
  count: integer,
  hosts: integer,
  complete: { type: 'boolean', description: `false: only the first ${mostHosts} hosts were looked at` },
  results: { type: 'array', items: outlier },
});

interface Newest {
  host: number;
  host_name: string;
  snapshot: number;
}

/** `groups/N/drift_outliers/`: hosts of the group, and of those below it, that are not like most of it, by their newest snapshots. */
export const outliersAction = (api: PluginApi): Action => ({
  access: { GET: authenticated },
  summary: 'Hosts of the group whose facts differ from what more than half of its hosts have',
  answers: { GET: { schema } },
  async handler(_call, { id }) {
    const { rows } = await api.db.raw(
      `with recursive below (id) as (
         select ?::bigint union select c.child_id from core_group_children c join below b on c.parent_id = b.id
       )
       select h.id as host, h.name as host_name, s.id as snapshot from core_hosts h
       join lateral (select max(id) as id from ${api.table('snapshots')} where host_id = h.id) s on s.id is not null
       where h.id in (select m.host_id from core_group_hosts m join below b on b.id = m.group_id)
       order by h.name, h.id limit ?`,
      [id, mostHosts + 1],
    );
    const newest: Newest[] = rows.slice(0, mostHosts);
    const found = outliersOf(await valuesOf(api, newest), detectOptions(api.settings));
    const results = newest.flatMap((one) => (found.has(one.host) ? [{ ...one, facts: found.get(one.host) }] : []));
    const complete = rows.length <= mostHosts;
    return { status: 200, body: { count: results.length, hosts: newest.length, complete, results } };
  },
});

/** Hashes of each fact of each host: what they say is not needed, and would be too much to keep. */
async function valuesOf(api: PluginApi, newest: readonly Newest[]): Promise<Map<number, Map<string, string>>> {
  const values = new Map<number, Map<string, string>>();
  for (let from = 0; from < newest.length; from += together) {
    const some = newest.slice(from, from + together);
    // portions, so that neither memory nor other requests feel it
    // oxlint-disable-next-line no-await-in-loop
    const contents = await readContents(
      api,
      api.db,
      some.map(({ snapshot }) => snapshot),
    );
    for (const { host, snapshot } of some) {
      const content = contents.get(snapshot);
      if (!content) continue;
      const { texts } = factsOfContent(content);
      values.set(
        host,
        new Map([...texts].map(([key, text]) => [key, createHash('sha1').update(text).digest('base64')])),
      );
      // oxlint-disable-next-line no-await-in-loop
      await breathe();
    }
  }
  return values;
}
