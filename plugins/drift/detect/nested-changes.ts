import { isRawNumber } from '../facts/exact-json.ts';

/** One change within a fact, as RFC 6902 tells it, with what was there before. */
export interface NestedChange {
  op: 'add' | 'remove' | 'replace';
  /** RFC 6901 */
  path: string;
  before?: unknown;
  value?: unknown;
}

/**
 * What differs between two values, place by place; lists go by their positions. It goes on only as far as somebody reads it, so
 * that the first 200 changes of a huge fact cost no more than those; no library for it does.
 */
export function* nestedChanges(before: unknown, after: unknown): Generator<NestedChange> {
  // a stack of our own: facts may be nested deeper than calls
  const places: Place[] = [{ path: '', before, after }];
  for (let place = places.pop(); place; place = places.pop()) {
    const { path } = place;
    if (!('before' in place)) yield { op: 'add', path, value: place.after };
    else if (!('after' in place)) yield { op: 'remove', path, before: place.before };
    else {
      const inner = innerPlaces(place);
      if (inner) for (const one of inner.toReversed()) places.push(one);
      else if (!isSame(place.before, place.after))
        yield { op: 'replace', path, before: place.before, value: place.after };
    }
  }
}

/** A side that is missing is where there is nothing. */
interface Place {
  path: string;
  before?: unknown;
  after?: unknown;
}

function innerPlaces({ path, before, after }: Place): Place[] | undefined {
  const [left, right] = [membersOf(before), membersOf(after)];
  if (!left || !right || Array.isArray(before) !== Array.isArray(after)) return undefined;
  return [...new Set([...left.keys(), ...right.keys()])].map((key) => ({
    path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    ...(left.has(key) ? { before: left.get(key) } : {}),
    ...(right.has(key) ? { after: right.get(key) } : {}),
  }));
}

function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return undefined;
  return new Map(Object.entries(value));
}

const isSame = (before: unknown, after: unknown): boolean =>
  before === after || (isRawNumber(before) && isRawNumber(after) && before.rawJSON === after.rawJSON);
