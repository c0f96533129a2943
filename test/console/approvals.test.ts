import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, type Stage, tabTo } from './stage.ts';

describeWith(['chromium'], 'the console: approvals', () => {
  let stage: Stage;
  let page: Page;
  const workflows: Record<string, number> = {};
  before(async () => {
    stage = await openStage();
    page = stage.page;
    await stage.make('users/', { username: 'chief', password: 'long enough 1', is_superuser: true });
    for (const [name, required_approvals] of [
      ['Go live?', 1],
      ['Spend it?', 2],
    ] as const) {
      const { id } = await stage.make('workflow_job_templates/', { name: `Of ${name}`, organization: 1 });
      const node = await stage.make(`workflow_job_templates/${id}/workflow_nodes/`, {});
      await stage.make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, {
        name,
        required_approvals,
        timeout: 86_400,
      });
      workflows[name] = id;
    }
    await stage.logIn(page, 'chief', 'long enough 1');
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const launch = async (name: string) =>
    (await stage.make(`workflow_job_templates/${workflows[name]}/launch/`, {})).id as number;
  const waiting = () => page.getByRole('table', { name: 'Approvals that wait' });
  const decided = () => page.getByRole('table', { name: 'Approvals that are decided' });
  const entry = () => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Approvals/ });
  const ends = (run: number, status: string) =>
    until(async () => (await stage.service.get(`workflow_jobs/${run}/`)).body.status === status);

  it('counts in the menu what waits for the caller as it comes, and is approved by keyboard with a word why', async () => {
    await stage.open('/approvals');
    await page.getByText('Nothing waits.').waitFor();
    const run = await launch('Go live?');
    await waiting().getByRole('rowheader', { name: 'Go live?' }).waitFor();
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Approve Go live?' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Approve Go live?' });
    await dialog.getByLabel(/^Comment/).fill('seen it');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).press('Enter');
    await decided()
      .getByRole('row', { name: /Go live\?/ })
      .getByText('Approved')
      .waitFor();
    await page.getByText('Nothing waits.').waitFor();
    await until(async () => (await entry().textContent()) === 'Approvals');
    await ends(run, 'successful');
    await decided().getByRole('link', { name: 'Go live?', exact: true }).click();
    await page.getByRole('link', { name: 'Votes' }).click();
    const vote = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'chief' }) });
    await vote.getByText('seen it').waitFor();
  });

  it('tells how many votes there are, and that one has voted', async () => {
    const run = await launch('Spend it?');
    await stage.open('/approvals');
    const row = waiting().getByRole('row', { name: /Spend it\?/ });
    await row.getByText('0 of 2').waitFor();
    await row.getByRole('button', { name: 'Approve Spend it?' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 approvals are missing yet; yours is one of them.').waitFor();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await row.getByText('1 of 2').waitFor();
    await row.getByText('You have voted.').waitFor();
    // it waits for somebody else: nothing of the menu's
    await until(async () => (await entry().textContent()) === 'Approvals');
    // decided elsewhere, it goes from here
    const denied = await stage.service.get('workflow_approvals/?status=pending');
    expect((await stage.service.post(`workflow_approvals/${denied.body.results[0].id}/deny/`, {})).status).to.equal(
      204,
    );
    await decided()
      .getByRole('row', { name: /Spend it\?/ })
      .getByText('Denied')
      .waitFor();
    await ends(run, 'failed');
  });

  it('offers nobody to approve what is their own, and shows in the dialog why it is refused', async () => {
    await launch('Go live?');
    const own = await stage.fresh();
    await stage.logIn(own);
    await own.goto('/approvals');
    await own.getByRole('button', { name: 'Deny Go live?' }).waitFor();
    expect(await own.getByRole('button', { name: 'Approve Go live?' }).count()).to.equal(0);
    await own.getByRole('button', { name: 'Deny Go live?' }).click();
    const { body } = await stage.service.get('workflow_approvals/?status=pending');
    const path = `workflow_approvals/${body.results[0].id}`;
    // somebody else is quicker than the list that is read again
    const before = (await stage.service.get('workflow_approvals/?status=pending')).body;
    before.results[0] = { ...before.results[0], can_approve_or_deny: true };
    await own.route('**/api/v2/workflow_approvals/?status=pending*', (route) => route.fulfill({ json: before }));
    const auth = 'chief:long enough 1';
    expect((await stage.service.post(`${path}/deny/`, {}, { auth })).status).to.equal(204);
    await own.getByRole('dialog').getByRole('button', { name: 'Deny', exact: true }).click();
    await own.getByRole('alert').filter({ hasText: 'already been approved or denied' }).waitFor();
    await own.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has names, order and contrast, ${colorScheme}, and fits a narrow screen`, async () => {
      const run = await launch('Spend it?');
      const other = await stage.fresh({ colorScheme, reducedMotion: 'reduce' });
      await stage.logIn(other, 'chief', 'long enough 1');
      await other.goto('/approvals');
      await other.getByRole('button', { name: 'Approve Spend it?' }).click();
      await other.getByRole('dialog').waitFor();
      expect(await violations(other), 'the question').to.deep.equal([]);
      await other.keyboard.press('Escape');
      expect(await violations(other)).to.deep.equal([]);
      await other.setViewportSize({ width: 360, height: 740 });
      expect(await other.locator('html').evaluate((element) => element.scrollWidth)).to.be.at.most(360);
      await other.context().close();
      expect((await stage.service.post(`workflow_jobs/${run}/cancel/`, {})).status).to.equal(202);
      await ends(run, 'canceled');
    });
});
