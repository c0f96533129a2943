/** An engine without `forks` uses five. */
const ENGINE_FORKS = 5;

/** Units of capacity: one for the engine itself, one per fork. */
export const impactOf = (forks: number): number => (forks || ENGINE_FORKS) + 1;
