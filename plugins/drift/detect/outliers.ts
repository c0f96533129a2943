import { classified, type Class, isVolatile } from './classify.ts';
import type { DetectOptions } from './detect.ts';

export interface Outlying extends Class {
  fact_path: string;
  /** how many hosts have what most have */
  alike: number;
}

/**
 * Where hosts differ from what most of them have. A fact counts where more than half of the hosts have one value of it, or
 * none: names and addresses, of which each host has its own, say nothing. `values`: by host, then by fact.
 */
export function outliersOf(
  values: ReadonlyMap<number, ReadonlyMap<string, string>>,
  { ignored = [], overrides = {} }: DetectOptions,
): Map<number, Outlying[]> {
  const found = new Map<number, Outlying[]>();
  const keys = new Set([...values.values()].flatMap((of) => [...of.keys()]));
  for (const key of keys) {
    if (isVolatile(key, ignored)) continue;
    const counts = new Map<string | undefined, number>();
    for (const of of values.values()) counts.set(of.get(key), (counts.get(of.get(key)) ?? 0) + 1);
    const [usual] = [...counts].filter(([, count]) => count > values.size / 2);
    if (!usual) continue;
    for (const [host, of] of values) {
      if (of.get(key) === usual[0]) continue;
      found.set(host, [...(found.get(host) ?? []), { fact_path: key, ...classified(key, overrides), alike: usual[1] }]);
    }
  }
  return found;
}
