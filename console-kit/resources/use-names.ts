import { useCallback, useRef } from 'preact/hooks';
import { get } from '../api/http.ts';
import { useRead } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { labelOfRow, searched } from './relations.ts';
import type { Row } from './resource.ts';

/** By list below /api/v2/: the ids of records of it. */
export type Wanted = Readonly<Record<string, readonly string[]>>;

/** By list and id; undefined for what was asked for in vain. */
type Names = Record<string, string | undefined>;

/** How records are called, asked for in one request for each list. What may not be seen has no name. */
export function useNames(wanted: Wanted): (list: string, id: string) => string | undefined {
  const known = useRef<Names>({});
  const missing = Object.entries(wanted)
    .map(([list, ids]) => [list, ids.filter((id) => !(keyOf(list, id) in known.current))] as const)
    .filter(([, ids]) => ids.length);
  const asked = missing.length ? JSON.stringify(missing) : null;
  const read = useCallback(async () => {
    const found = await Promise.all((JSON.parse(asked!) as typeof missing).map(([list, ids]) => namesOf(list, ids)));
    return (known.current = Object.assign({}, known.current, ...found));
  }, [asked]);
  // drawn again with what it finds
  void useRead<Names>(asked === null ? null : read).data.value;
  return (list, id) => known.current[keyOf(list, id)];
}

const keyOf = (list: string, id: string) => `${list.split('?')[0]}${id}`;

async function namesOf(list: string, ids: readonly string[]): Promise<Names> {
  const path = searched(list.split('?')[0]!, { id__in: ids.join(','), page_size: '200' });
  const { results } = await get<Page<Row>>(path, { quiet: true });
  const labels = new Map(results.map((row) => [String(row.id), labelOfRow(row)]));
  return Object.fromEntries(ids.map((id) => [keyOf(list, id), labels.get(id)]));
}
