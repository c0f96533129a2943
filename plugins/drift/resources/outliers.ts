import { type Action, authenticated, type PluginApi } from '@tapline/plugin-sdk';
import type { Aside } from '../capture/aside.ts';
import { readContents } from '../capture/read-facts.ts';
import { categories, severities } from '../detect/classify.ts';
import { detectOptions } from '../detect/detect.ts';
import { outliersOf } from '../detect/outliers.ts';
import type { Digests } from '../facts/digests.ts';

/** So many are told of, whatever many there are. */
const most = { hosts: 500, facts: 100 };
const together = 20;
const mostBytes = 2 << 20;

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
  count: { ...integer, description: 'facts in which it differs' },
  facts: { type: 'array', items: fact, description: `the first ${most.facts} of them` },
});
const schema = closed({
  count: { ...integer, description: 'hosts that differ' },
  hosts: { ...integer, description: 'hosts that were looked at: all that have a snapshot' },
  complete: {
    type: 'boolean',
    description: `false: results hold only the first ${most.hosts} that differ, or facts of some host were too large to be compared`,
  },
  results: { type: 'array', items: outlier },
});

interface Newest {
  host: number;
  host_name: string;
  snapshot: number;
  size: number;
}

/** `groups/N/drift_outliers/`: hosts of the group, and of those below it, that are not like most of it, by their newest snapshots. */
export const outliersAction = (api: PluginApi, aside: Aside): Action => ({
  access: { GET: authenticated },
  summary: 'Hosts of the group whose facts differ from what more than half of its hosts have',
  answers: { GET: { schema } },
  async handler({ signal }, { id }) {
    const { rows } = await api.db.raw(
      `with recursive below (id) as (
         select ?::bigint union select c.child_id from core_group_children c join below b on c.parent_id = b.id
       )
       select h.id as host, h.name as host_name, s.id as snapshot, s.size from core_hosts h
       join lateral (
         select id, size from ${api.table('snapshots')} where host_id = h.id order by id desc limit 1) s on true
       where h.id in (select m.host_id from core_group_hosts m join below b on b.id = m.group_id)
       order by h.name, h.id`,
      [id],
    );
    const newest = new Map((rows as Newest[]).map((row) => [row.host, row]));
    const leftOut: number[] = [];
    const hosts = digestsOfAll({ api, aside, signal, leftOut }, [...newest.values()]);
    const { hosts: seen, differ, outliers } = await outliersOf(hosts, detectOptions(api.settings), most);
    const results = outliers.map(({ host, count, facts }) => {
      const { host_name, snapshot } = newest.get(host)!;
      return { host, host_name, snapshot, count, facts };
    });
    const complete = results.length === differ && leftOut.length === 0;
    if (leftOut.length) api.log.warn({ group: id, hosts: leftOut }, 'facts were too large to be compared');
    return { status: 200, body: { count: differ, hosts: seen, complete, results } };
  },
});

interface Means {
  api: PluginApi;
  aside: Aside;
  signal: AbortSignal;
  /** hosts whose facts are too large to be compared */
  leftOut: number[];
}

/** Some hosts after the others, however many: neither memory nor other requests feel it. Some snapshots may be gone meanwhile. */
async function* digestsOfAll(
  { api, aside, signal, leftOut }: Means,
  all: readonly Newest[],
): AsyncGenerator<[number, Digests]> {
  for (const some of portionsOf(all)) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop
    const contents = await readContents(
      api,
      api.db,
      some.map(({ snapshot }) => snapshot),
    );
    const there = some.filter(({ snapshot }) => contents.has(snapshot));
    // oxlint-disable-next-line no-await-in-loop
    const digests = await aside.digestsOf(there.map(({ snapshot }) => contents.get(snapshot)!));
    for (const [at, { host }] of there.entries()) {
      const found = digests[at];
      if (found) yield [host, found];
      else leftOut.push(host);
    }
  }
}

function* portionsOf(all: readonly Newest[]): Generator<Newest[]> {
  let portion: Newest[] = [];
  let bytes = 0;
  for (const one of all) {
    if (portion.length === together || (portion.length && bytes + one.size > mostBytes)) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(one);
    bytes += one.size;
  }
  if (portion.length) yield portion;
}
