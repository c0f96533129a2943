import '../styles/schedule.css';
import { Notice } from '@tapline/console-kit';
import { NextRuns, usePreview } from './next-runs.tsx';
import { ruleParts } from './rule-parts.ts';
import { ruleWords } from './rule-words.ts';

/** A rule in words, where there are any for it, and its next times. */
export function ShownRule({ rule, zone }: { rule: string; zone: string }) {
  const { preview, problems } = usePreview(rule);
  const parts = ruleParts(rule, new Date());
  return (
    <>
      {parts ? <p class="rule-words">{ruleWords(parts)}</p> : <pre class="value">{rule}</pre>}
      {problems.length > 0 && <Notice tone="bad">{problems.join(' ')}</Notice>}
      <NextRuns preview={preview} zone={zone} />
    </>
  );
}
