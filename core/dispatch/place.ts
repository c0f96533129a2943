export interface NodeLoad {
  id: number;
  hostname: string;
  capacity: number;
  consumed: number;
}

/** Nodes that work on one account, with what runs there now. */
export interface GroupLoad {
  id: number;
  name: string;
  /** 0 = no limit */
  max_forks: number;
  max_concurrent_jobs: number;
  is_container_group: boolean;
  jobs: number;
  forks: number;
  /** ids of its nodes, those that take no work now included */
  nodes: readonly number[];
}

/**
 * The node with most room left. A run that is larger than any node still runs, alone: on an idle one.
 */
export function placeFor(nodes: readonly NodeLoad[], impact: number): NodeLoad | undefined {
  const fitting = nodes.filter(
    ({ capacity, consumed }) => capacity > 0 && (consumed + impact <= capacity || consumed === 0),
  );
  return fitting.toSorted((a, b) => b.capacity - b.consumed - (a.capacity - a.consumed) || a.id - b.id)[0];
}

/** Of any size. */
export const ANY_IMPACT = 2 ** 31 - 1;

/** The largest run that `placeFor` finds a node for; -1 where it finds one for none. */
export const largestPlaced = (nodes: readonly NodeLoad[]): number =>
  Math.max(
    -1,
    ...nodes.map(({ capacity, consumed }) => (capacity <= 0 ? -1 : consumed === 0 ? ANY_IMPACT : capacity - consumed)),
  );

/** What the group itself allows no more of, in words; undefined where the run is within. */
export function limitOf(
  { max_forks, max_concurrent_jobs, jobs, forks }: GroupLoad,
  impact: number,
): string | undefined {
  if (max_concurrent_jobs && jobs >= max_concurrent_jobs)
    return `${jobs} runs are under way there, and it allows ${max_concurrent_jobs} (max_concurrent_jobs)`;
  if (!max_forks || forks + impact <= max_forks) return undefined;
  return impact > max_forks
    ? `the run needs ${impact} units, and it never allows more than ${max_forks} (max_forks)`
    : `${forks} of its ${max_forks} units are taken (max_forks)`;
}
