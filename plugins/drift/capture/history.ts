import type { PluginApi } from '@tapline/plugin-sdk';
import { differences, type DetectOptions, type Difference, type ReadFacts } from '../detect/detect.ts';
import { wholeOf } from '../facts/canonical.ts';
import { packed } from '../facts/content.ts';
import { factsOfContent, factsOfText } from './read-facts.ts';
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
  content: Buffer;
  differences: Difference[];
}

interface Sources {
  documents: ReadonlyMap<string, string>;
  /** of the newest snapshot */
  content: Buffer | undefined;
  options: DetectOptions;
}

type Log = Pick<PluginApi['log'], 'warn'>;

/** Follows a host's facts step by step. What cannot be read is left out and told: it must not hold up other hosts. */
export function newSnapshots(plan: HostPlan, { documents, content, options }: Sources, log: Log): NewSnapshot[] {
  const { host_id, inventory_id, organization_id, latest } = plan;
  let hash = latest?.facts_hash;
  let before: ReadFacts | undefined;
  const found: NewSnapshot[] = [];
  for (const step of plan.chain.steps) {
    const document = documents.get(step.hash);
    if (document === undefined) {
      log.warn({ host: host_id, hash: step.hash, run: step.run_id }, 'facts were gone before they were captured');
      continue;
    }
    try {
      const after = factsOfText(document);
      const whole = wholeOf(after.texts);
      if (whole.hash === hash) continue;
      before ??= content && factsOfContent(content);
      found.push({
        host_id,
        inventory_id,
        organization_id,
        job_id: step.run_id,
        facts_hash: whole.hash,
        source_hash: step.hash,
        size: whole.text.length,
        content: packed(whole.text),
        differences: before ? differences(before, after, options) : [],
      });
      [before, hash] = [after, whole.hash];
    } catch (err) {
      log.warn({ err, host: host_id, hash: step.hash, run: step.run_id }, 'facts could not be captured');
    }
  }
  return found;
}
