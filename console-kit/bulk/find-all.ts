const pageSize = 200;

type Read<T> = (path: string) => Promise<{ results: T[] }>;

/** Records of the whole list behind a page of it, in the order of their numbers; what comes after it began is left out. */
export async function findAll<T extends { id: number }>(
  list: string,
  read: Read<T>,
  onFound: (found: number) => void,
): Promise<T[]> {
  const [path, given] = list.split('?');
  const query = new URLSearchParams(given);
  query.delete('page');
  query.set('page_size', String(pageSize));
  const ordered = (order: string) => {
    query.set('order_by', order);
    return read(`${path}?${query}`);
  };
  const last = (await ordered('-id')).results[0]?.id ?? 0;
  const all: T[] = [];
  for (let after = 0; after < last;) {
    query.set('id__gt', String(after));
    const { results } = await ordered('id');
    all.push(...results.filter(({ id }) => id <= last));
    onFound(all.length);
    after = results.at(-1)?.id ?? last;
  }
  return all;
}
