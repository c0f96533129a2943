import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { openStage, type Stage } from './stage.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary: string }[];
}

/** What axe finds wrong on the page as it is now; run beside the page, whose policy admits no foreign script. */
async function violations(page: Page): Promise<string[]> {
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
  await evaluate(axe);
  const found: Violation[] = await evaluate(
    `axe.run({ runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => JSON.parse(JSON.stringify(violations)))`,
  );
  await session.detach();
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  );
}

describeWith(['chromium'], 'the console: for everybody', () => {
  let stage: Stage;
  let failed: number;
  let asking: number;
  before(async () => {
    stage = await openStage();
    const { id } = await stage.template('failing.yml', { name: 'Fail' });
    asking = (
      await stage.template('greet.yml', {
        name: 'Ask',
        ...Object.fromEntries(
          ['variables', 'limit', 'credential', 'inventory', 'verbosity', 'diff_mode', 'forks', 'job_type', 'tags'].map(
            (name) => [`ask_${name}_on_launch`, true],
          ),
        ),
      })
    ).id;
    failed = (await stage.make(`job_templates/${id}/launch/`, {})).job;
    await until(async () => (await stage.service.get(`jobs/${failed}/`)).body.event_processing_finished);
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has names, order and contrast in every page, ${colorScheme}`, async () => {
      const page = await stage.fresh({ colorScheme, reducedMotion: 'reduce' });
      await page.goto('/');
      await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
      const found = { login: await violations(page) } as Record<string, string[]>;
      await stage.logIn(page);
      const paths = [
        '/',
        '/jobs',
        `/jobs/${failed}`,
        '/templates',
        `/templates/${asking}/launch`,
        '/setup',
        '/plugins',
      ];
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await until(async () => (await page.getByText(/^Loading/).count()) === 0);
        found[path] = await violations(page);
      }
      await page.context().close();
      expect(Object.entries(found).filter(([, problems]) => problems.length)).to.deep.equal([]);
    });

  it('fits a narrow screen without scrolling sideways, and moves nothing for those who ask for that', async () => {
    const page = await stage.fresh({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    await stage.logIn(page);
    for (const path of ['/', '/jobs', `/jobs/${failed}`, '/setup']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(async () => (await page.getByText(/^Loading/).count()) === 0);
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      expect(width, path).to.be.at.most(360);
    }
    const animated = await page
      .locator('*')
      .evaluateAll((all) => all.filter((element) => element.getAnimations().length > 0).length);
    expect(animated).to.equal(0);
    await page.context().close();
  });
});
