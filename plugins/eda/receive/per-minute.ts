const minute = 60_000;
const mostKept = 10_000;

/** So many a minute for each of them, on this node. Resolves how many seconds it takes until there is room again; 0 = now. */
export function perMinute(): (key: number, most: number, now: number) => number {
  let began = 0;
  let counts = new Map<number, number>();
  return (key, most, now) => {
    if (now - began >= minute || counts.size > mostKept) [began, counts] = [now, new Map()];
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= most ? 0 : Math.max(1, Math.ceil((began + minute - now) / 1000));
  };
}
