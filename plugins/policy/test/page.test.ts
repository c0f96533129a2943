import { expect } from 'chai';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import policy from '../index.ts';
import { type Opa, startOpa } from './opa.ts';

describeWith(['chromium', 'opa'], 'the page of policies', function () {
  this.timeout(300_000);
  let stage: Stage;
  let opa: Opa;

  before(async () => {
    opa = await startOpa();
    const env = { TAPLINE_POLICY_ENGINE_ENABLED: 'true', TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url };
    stage = await openStage(env, { plugins: [policy] });
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    await opa?.stop();
  });

  it('makes a policy, tries it while it is typed, and shows what the engine says of a mistake', async () => {
    const { page } = stage;
    await stage.open('/policies');
    await page.getByRole('button', { name: 'New policy' }).click();
    await page.getByLabel('Name').fill('Night');
    await page.getByLabel('Module').fill('package night\n\ndeny contains "not now"\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Night' }).click();
    const said = page.getByRole('main').locator('pre[role=status]');
    await page.getByLabel('Module').fill('package night\n\nwarn contains "soon"\n');
    await said.filter({ hasText: 'soon' }).waitFor();
    expect(await said.textContent()).to.equal('warn\nsoon');
    await page.getByLabel('Module').fill('package night\n\nwarn contains if {\n');
    await said.filter({ hasText: /line \d/ }).waitFor();
  });
});
