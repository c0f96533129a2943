import { notFound, type PluginApi } from '@tapline/plugin-sdk';
import { factsOfContent, readContents } from '../capture/read-facts.ts';
import { categories, severities } from '../detect/classify.ts';
import { detectOptions, differences, type Difference } from '../detect/detect.ts';

interface SnapshotRow {
  id: number;
  host_id: number;
  host_name: string;
  captured_at: string;
  facts_hash: string;
}

/** What `compare/` answers about two snapshots that the caller may see; nothing is stored. @throws ApiError 404 where one is gone */
export async function compareSnapshots(api: PluginApi, ids: [number, number], { withVolatile = false } = {}) {
  const rows: SnapshotRow[] = await api
    .db(`${api.table('snapshots')} as s`)
    .join('core_hosts as h', 'h.id', 's.host_id')
    .whereIn('s.id', ids)
    .select('s.id', 's.host_id', 'h.name as host_name', 's.captured_at', 's.facts_hash');
  const contents = await readContents(api, api.db, ids);
  const [a, b] = ids.map((id) => rows.find((row) => row.id === id));
  const [before, after] = ids.map((id) => contents.get(id));
  if (!a || !b || !before || !after) throw notFound();
  const options = { ...detectOptions(api.settings), withVolatile };
  return answerOf([a, b], differences(factsOfContent(before), factsOfContent(after), options));
}

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
