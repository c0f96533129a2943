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

  it('waives the denials of a policy for a while, and ends that', async () => {
    const { page } = stage;
    await stage.open('/policies');
    await page.getByRole('button', { name: 'Night' }).click();
    await page.getByLabel('Waive denials for').selectOption('organization');
    await page.getByLabel('Named').selectOption({ label: 'Default' });
    await page.getByLabel('Reason').fill('Agreed in ticket 7.');
    await page.getByLabel('Until').fill('2999-01-01T00:00');
    await page.getByRole('button', { name: 'Waive', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'Agreed in ticket 7.' });
    await row.waitFor();
    expect(await row.textContent())
      .to.include('organization Default')
      .and.to.include('admin');
    await row.getByRole('button', { name: 'End' }).click();
    await row.waitFor({ state: 'detached' });
  });
});
