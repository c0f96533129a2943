import { isRawNumber } from '../facts/exact-json.ts';

/** One change within a fact, as RFC 6902 tells it, with what was there before. */
export interface NestedChange {
  op: 'add' | 'remove' | 'replace';
  /** RFC 6901 */
  path: string;
  before?: unknown;
  value?: unknown;
}

type Members = Record<string, unknown>;

/** Two objects or two lists on the way, and where in them it stands. */
interface Frame {
  path: string;
  before: Members;
  after: Members;
  keys: readonly string[];
  at: number;
}

/**
 * What differs between two values, place by place; lists go by their positions. It goes on only as far as somebody reads it, so
 * that the first 200 changes of a huge fact cost no more than those, and has a stack of its own, since facts may be nested
 * deeper than calls; no library for it does both.
 */
export function* nestedChanges(before: unknown, after: unknown): Generator<NestedChange> {
  const whole = frameOf('', before, after);
  if (!whole && !isSame(before, after)) yield { op: 'replace', path: '', before, value: after };
  const frames = whole ? [whole] : [];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const key = frame.keys[frame.at++];
    if (key === undefined) {
      frames.pop();
      continue;
    }
    const [was, is] = [frame.before[key], frame.after[key]];
    if (isSame(was, is)) continue;
    const path = `${frame.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(frame.before, key)) yield { op: 'add', path, value: is };
    else if (!Object.hasOwn(frame.after, key)) yield { op: 'remove', path, before: was };
    else {
      const inner = frameOf(path, was, is);
      if (inner) frames.push(inner);
      else yield { op: 'replace', path, before: was, value: is };
    }
  }
}

function frameOf(path: string, before: unknown, after: unknown): Frame | undefined {
  if (!hasMembers(before) || !hasMembers(after) || Array.isArray(before) !== Array.isArray(after)) return undefined;
  const keys = Object.keys(before);
  for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) keys.push(key);
  return { path, before, after, keys, at: 0 };
}

const hasMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !isRawNumber(value);

const isSame = (before: unknown, after: unknown): boolean =>
  before === after || (isRawNumber(before) && isRawNumber(after) && before.rawJSON === after.rawJSON);
