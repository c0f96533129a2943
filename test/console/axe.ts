import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Those whose answer depends on colours. */
export const ofColours = ['color-contrast', 'link-in-text-block'];

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * What axe finds wrong on the page as it is now, or in a part of it, by the standards' rules or those that are named; run beside
 * the page, whose policy admits no foreign script.
 */
export async function violations(page: Page, rules: readonly string[] = standards, part?: string): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  // a page that was left by a link of its own still has it
  if (!(await evaluate('"axe" in window'))) await evaluate(axe);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const found: Violation[] = await evaluate(
    `axe.run(${part ? JSON.stringify(part) : 'document'}, ${options}).then(({ violations }) => JSON.parse(JSON.stringify(violations)))`,
  );
  await session.detach();
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  );
}
