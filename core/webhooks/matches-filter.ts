import { matchesWildcards } from '../inventory/wildcards.ts';

/** A pushed ref, whole (`refs/heads/main`) or by its short name (`main`); without a filter any. */
export const matchesFilter = (ref: string, filter: string): boolean =>
  filter === '' || matchesWildcards(ref, filter) || matchesWildcards(ref.replace(/^refs\/(heads|tags)\//, ''), filter);
