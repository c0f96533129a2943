import { type Action, authenticated, field, notFound, type PluginApi } from '@tapline/plugin-sdk';
import { factsOfContent, readContents } from '../capture/read-facts.ts';
import { categories, severities } from '../detect/classify.ts';
import { differences, type Difference } from '../detect/detect.ts';
import { compareSchema } from './compare-schema.ts';

interface SnapshotRow {
  id: number;
  host_id: number;
  host_name: string;
  captured_at: string;
  facts_hash: string;
}

/** `drift_detections/compare/`: two snapshots, of one host or of two; nothing is stored. */
export const compareAction = (api: PluginApi): Action => ({
  access: { POST: authenticated },
  summary: 'What differs between two snapshots, of one host or of two',
  fields: {
    snapshot_a: field.integer({ required: true, min: 1 }),
    snapshot_b: field.integer({ required: true, min: 1 }),
    include_volatile: field.boolean({
      help: 'Also facts that change by themselves; ?include_volatile=true says the same.',
    }),
  },
  answers: { POST: { schema: compareSchema } },
  async handler({ body, query, visible }) {
    const ids = [Number(body['snapshot_a']), Number(body['snapshot_b'])];
    const seen = await visible('fact_snapshot', ids);
    for (const [at, id] of ids.entries())
      if (!seen.has(id)) throw notFound(`snapshot_${at ? 'b' : 'a'}: there is no snapshot ${id}.`);
    const rows: SnapshotRow[] = await api
      .db(`${api.table('snapshots')} as s`)
      .join('core_hosts as h', 'h.id', 's.host_id')
      .whereIn('s.id', ids)
      .select('s.id', 's.host_id', 'h.name as host_name', 's.captured_at', 's.facts_hash');
    const contents = await readContents(api, api.db, ids);
    const [a, b] = ids.map((id) => rows.find((row) => row.id === id));
    const [before, after] = ids.map((id) => contents.get(id));
    if (!a || !b || !before || !after) throw notFound();
    const withVolatile = body['include_volatile'] === true || query.get('include_volatile') === 'true';
    const found = differences(factsOfContent(before), factsOfContent(after), {
      withVolatile,
      overrides: api.settings.get('DRIFT_SEVERITIES', {}) as Record<string, string>,
      ignored: api.settings.get('DRIFT_IGNORED_FACTS', []) as string[],
    });
    return { status: 200, body: answerOf([a, b], found) };
  },
});

const shownSnapshot = ({ host_id: host, ...row }: SnapshotRow) => ({ ...row, host });

function answerOf([a, b]: [SnapshotRow, SnapshotRow], found: readonly Difference[]) {
  const by = (key: 'category' | 'severity', names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, found.filter((difference) => difference[key] === name).length]));
  return {
    snapshot_a: shownSnapshot(a),
    snapshot_b: shownSnapshot(b),
    same_host: a.host_id === b.host_id,
    identical: a.facts_hash === b.facts_hash,
    count: found.length,
    differences: found.map(({ detail: { before, after, paths }, ...difference }) => ({
      ...difference,
      before,
      after,
      paths,
    })),
    by_category: by('category', categories),
    by_severity: by('severity', severities),
  };
}
