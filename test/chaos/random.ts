export type Random = () => number;

/** Small seeded generator (mulberry32), so that a run can be repeated. */
export function generator(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Each part that draws has a stream of its own: how often one draws does not change what another does. */
export function stream(seed: number, name: string): Random {
  let hash = seed;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return generator(hash);
}

export const pick = <T>(random: Random, items: readonly T[]): T | undefined =>
  items[Math.floor(random() * items.length)];

export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const placed = items.map((item) => ({ item, place: random() }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}

/** By its `share` of all. */
export function weighted<N extends string>(random: Random, items: Record<N, { share: number }>): N {
  const names = Object.keys(items) as N[];
  let left = random() * names.reduce((sum, name) => sum + items[name].share, 0);
  return names.find((name) => (left -= items[name].share) < 0) ?? names[0]!;
}
