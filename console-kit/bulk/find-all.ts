const pageSize = 200;

type Read<T> = (path: string) => Promise<{ results: T[]; count: number }>;

/** What a list held at a moment: what comes later is not of it. */
export interface Frozen {
  list: string;
  count: number;
  /** the highest number in it then */
  last: number;
}

/** @param list below /api/v2/, with the query of any page of it */
export async function freeze(list: string, read: Read<{ id: number }>): Promise<Frozen> {
  const { results, count } = await read(ordered(list, '-id', 1)());
  return { list, count, last: results[0]?.id ?? 0 };
}

/** Its records, in the order of their numbers. */
export async function findAll<T extends { id: number }>(
  { list, last }: Frozen,
  read: Read<T>,
  onFound: (found: number) => void,
): Promise<T[]> {
  const path = ordered(list, 'id', pageSize);
  const all: T[] = [];
  for (let after = begin(list); after < last;) {
    const { results } = await read(path(after));
    all.push(...results.filter(({ id }) => id <= last));
    onFound(all.length);
    after = results.at(-1)?.id ?? last;
  }
  return all;
}

/** A list may begin behind a number itself. */
const begin = (list: string) => Math.max(0, ...new URLSearchParams(list.split('?')[1]).getAll('id__gt').map(Number));

function ordered(list: string, order: string, size: number) {
  const [path, given] = list.split('?');
  const query = new URLSearchParams(given);
  query.delete('page');
  query.set('page_size', String(size));
  query.set('order_by', order);
  return (after?: number) => {
    if (after !== undefined) query.set('id__gt', String(after));
    return `${path}?${query}`;
  };
}
