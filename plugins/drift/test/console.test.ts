import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import drift from '../index.ts';
import { furnish } from './furnish.ts';

describeWith(['chromium'], 'drift in the console', () => {
  let stage: Stage;
  let page: Page;

  before(async () => {
    stage = await openStage({ TAPLINE_PLUGINS: 'console' }, { plugins: [drift] });
    page = stage.page;
    await furnish(stage);
    await stage.logIn();
  });
  after(() => stage?.stop());

  const rows = (name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr');
  const tab = (name: string) => page.getByRole('navigation', { name: 'Drift' }).getByRole('link', { name });
  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };

  it('lists changes by host, category and severity, and opens one with before and after', async () => {
    await stage.open('/drift');
    await rows('Changes').first().waitFor();
    expect(await rows('Changes').count()).to.equal(4);
    await page.getByText('4 changes, 4 not acknowledged').waitFor();
    // what a host says of itself is a text
    await page.getByRole('link', { name: 'motd changed from hello to <b>hello</b>' }).waitFor();
    await clean();
    await page.getByLabel('Category').selectOption('services');
    await page.getByRole('button', { name: 'Narrow' }).click();
    await until(async () => (await rows('Changes').count()) === 1);
    await page.getByRole('link', { name: 'services/nginx changed from running to stopped' }).click();
    await page.getByRole('table', { name: 'Before and after' }).getByText('"nginx": "stopped"').waitFor();
    await page.getByText('none of our runs changed anything there meanwhile').waitFor();
    await clean();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('Acknowledged by admin.').waitFor();
    const { id } = await stage.template('greet.yml', { name: 'mend', ask_limit_on_launch: true });
    await page.reload();
    await page.getByLabel('Put right by').selectOption(String(id));
    await page.getByRole('button', { name: 'Launch for this host' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Put right by mend: ' }).waitFor();
    await clean();
  });

  it('acknowledges those that are selected, and all that the filters leave', async () => {
    await stage.open('/drift?host__name__icontains=shop-web&category=kernel');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Acknowledge those selected' }).click();
    await page.getByRole('status').filter({ hasText: '1 acknowledged.' }).waitFor();
    await stage.open('/drift?host__name__icontains=shop-db');
    await page.getByRole('button', { name: 'Acknowledge all 1' }).click();
    await page.getByText('1 changes, 0 not acknowledged').waitFor();
    const { body } = await stage.service.get('drift_detections/summary/');
    expect(body.unacknowledged).to.equal(1);
  });

  it('compares two snapshots side by side, of two hosts as well', async () => {
    await stage.open('/drift');
    await tab('Compare').click();
    const choose = async (label: string, host: string) => {
      const control = page.getByLabel(label);
      const option = control.locator('option', { hasText: host }).first();
      await control.selectOption((await option.getAttribute('value'))!);
    };
    await choose('First snapshot', 'shop-web');
    await choose('Second snapshot', 'shop-db');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('2 facts differ.').waitFor();
    const services = rows('Differences').filter({ hasText: 'services' });
    expect(await services.locator('td').nth(1).textContent()).to.include('nginx');
    expect(await services.locator('td').nth(2).textContent()).to.include('postgres');
    await clean();
  });

  it('makes a rule, says what it would have done last week, switches it off and deletes it', async () => {
    await tab('Rules').click();
    const form = page.getByRole('form', { name: 'New rule' });
    await form.getByLabel('Name', { exact: true }).fill('Kernels of the shop');
    await form.getByLabel('Names of hosts').fill('shop-*');
    await form.getByLabel('kernel').check();
    await form.getByRole('button', { name: 'Make the rule' }).click();
    await rows('Rules').filter({ hasText: 'Kernels of the shop' }).waitFor();
    await page.getByRole('button', { name: 'What would Kernels of the shop have done last week?' }).click();
    await page.getByText('would have fired 2 times in the last 7 days').waitFor();
    await clean();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    await page.getByRole('button', { name: 'Delete Kernels of the shop' }).click();
    await page.getByText('No rule tells anybody of drift yet.').waitFor();
    await tab('Alerts').click();
    await page.getByText('No rule has fired.').waitFor();
    await clean();
  });
});
