/** Order statistics; every figure of a measure is a median with the interval that holds 95 % of its resampled medians. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values: readonly number[]) => quantile(values, 0.5);

/** Percentile bootstrap with a fixed seed, so that the same samples always print the same interval. */
export function interval(values: readonly number[], of: (sample: number[]) => number = median): [number, number] {
  let seed = 42;
  const random = () => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return seed / 4294967296;
  };
  const estimates = Array.from({ length: 1000 }, () =>
    of(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  );
  return [quantile(estimates, 0.025), quantile(estimates, 0.975)];
}

export interface Figure {
  /** the measure it belongs to */
  name: string;
  figure: string;
  value: number;
  unit: string;
  reach: string;
  ok: boolean;
  /** what the value was made of: both sides, spread, count */
  detail: string;
}

/** One figure; `limit` is the reach, `better` says on which side of it the value should lie. */
export function figure(
  name: string,
  what: string,
  value: number,
  unit: string,
  better: '<=' | '>=',
  limit: number,
  detail: string,
): Figure {
  const ok = better === '<=' ? value <= limit : value >= limit;
  return { name, figure: what, value, unit, reach: `${better} ${limit} ${unit}`.trim(), ok, detail };
}

export const show = (value: number, digits = 1) => value.toFixed(Math.abs(value) < 10 ? Math.max(digits, 2) : digits);

/** The median with its interval, and between what the samples lie: the worst of them stands beside the typical one. */
export function spread(values: readonly number[], unit: string): string {
  const [low, high] = interval(values);
  const all = `${show(Math.min(...values))} to ${show(Math.max(...values))}`;
  return `${show(median(values))} ${unit} [${show(low)}, ${show(high)}], all ${all}, n=${values.length}`;
}
