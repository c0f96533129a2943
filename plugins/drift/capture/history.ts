import { differences, type DetectOptions, type Difference, type ReadFacts } from '../detect/detect.ts';
import { wholeOf } from '../facts/canonical.ts';
import { membersOf } from '../facts/members.ts';
import { type Base, pack, type Packed, unpackedText } from '../facts/content.ts';
import { factsOfText } from './read-facts.ts';
import type { HostPlan } from './plans.ts';

/** A snapshot that is to be stored, and what differs from the one before it. */
export interface NewSnapshot {
  host_id: number;
  inventory_id: number;
  organization_id: number | null;
  job_id: number | null;
  facts_hash: string;
  source_hash: string;
  size: number;
  content: Uint8Array;
  /** a new base, for it and those that follow; else that of the one before */
  base?: Uint8Array;
  differences: StoredDifference[];
}

/** `detail` as JSON: numbers that JavaScript would write otherwise do not survive the way out of a thread. */
export type StoredDifference = Omit<Difference, 'detail'> & { detail: string };

export interface Sources {
  plan: HostPlan;
  documents: ReadonlyMap<string, string>;
  /** the newest snapshot */
  newest: Packed | undefined;
  options: DetectOptions;
}

/** A step that was left out, and why. */
export interface LeftOut {
  hash: string;
  run: number | null;
  why: string;
  err?: unknown;
}

export interface History {
  snapshots: NewSnapshot[];
  leftOut: LeftOut[];
}

/** Follows a host's facts step by step. What cannot be read is left out and told: it must not hold up other hosts. */
export function historyOf({ plan, documents, newest, options }: Sources): History {
  const { host_id, inventory_id, organization_id, latest } = plan;
  let hash = latest?.facts_hash;
  let before: ReadFacts | undefined;
  let base: Base | undefined;
  const found: History = { snapshots: [], leftOut: [] };
  for (const step of plan.chain.steps) {
    const of = { hash: step.hash, run: step.run_id };
    const document = documents.get(step.hash);
    if (document === undefined) {
      found.leftOut.push({ ...of, why: 'facts were gone before they were captured' });
      continue;
    }
    try {
      const after = factsOfText(document);
      const whole = wholeOf(after.texts);
      if (whole.hash === hash) continue;
      if (!before && newest) {
        const { text, base: its } = unpackedText(newest);
        [before, base] = [{ texts: membersOf(text) }, its];
      }
      const stands = pack(whole.text, base);
      found.snapshots.push({
        host_id,
        inventory_id,
        organization_id,
        job_id: step.run_id,
        facts_hash: whole.hash,
        source_hash: step.hash,
        size: whole.text.length,
        ...stands,
        differences: (before ? differences(before, after, options) : []).map(stored),
      });
      if (stands.base) base = { text: Buffer.from(whole.text), bytes: stands.base.length };
      [before, hash] = [after, whole.hash];
    } catch (err) {
      found.leftOut.push({ ...of, why: 'facts could not be captured', err });
    }
  }
  return found;
}

const stored = ({ detail, ...difference }: Difference): StoredDifference => ({
  ...difference,
  detail: JSON.stringify(detail),
});
