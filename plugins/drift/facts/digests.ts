import { hash } from 'node:crypto';
import { membersOf } from './members.ts';
import { type Packed, unpackedText } from './content.ts';

/** What each fact of a snapshot says, as 48 bits of its hash: to be compared, not to be read. */
export interface Digests {
  paths: readonly string[];
  digests: Float64Array;
}

export function digestsOf(packed: Packed): Digests {
  const members = membersOf(unpackedText(packed).text);
  return { paths: [...members.keys()], digests: Float64Array.from(members.values(), digest) };
}

export const digestsOfMany = (all: readonly Packed[]): Digests[] => all.map(digestsOf);

const digest = (text: string) => Number.parseInt(hash('sha256', text).slice(0, 12), 16);
