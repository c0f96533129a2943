import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { adminPassword } from '../support/service.ts';
import { hasFocus, openStage, type Stage, tabTo } from './stage.ts';

describeWith(['chromium'], 'the console: log in and find one’s way', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage();
    page = stage.page;
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const fill = async (password: string) => {
    await page.getByLabel('User name').fill('admin');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
  };

  it('asks for a login first and says what was wrong', async () => {
    await page.goto('/jobs?show=failed');
    await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
    expect(await page.title()).to.equal('Log in · Tapline');
    expect(new URL(page.url()).searchParams.get('next')).to.equal('/jobs?show=failed');
    await until(() => hasFocus(page.getByLabel('User name')));
    await fill('wrong');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).to.equal('The user name or the password is not right.');
    await until(async () => (await page.getByLabel('Password').inputValue()) === '');
  });

  it('goes on to where somebody wanted to be', async () => {
    await fill(adminPassword);
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).to.equal('/jobs?show=failed');
    await page.getByRole('link', { name: 'Failed' }).and(page.locator('[aria-current="true"]')).waitFor();
  });

  it('has landmarks, a way past the menu, and the focus on the heading of a new page', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    for (const role of ['main', 'banner', 'navigation'] as const)
      expect(await page.getByRole(role).first().isVisible(), role).to.equal(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(() => hasFocus(page.getByRole('main')));
    await tabTo(
      page,
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Templates', exact: true }),
      80,
    );
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'Templates', level: 1 });
    await heading.waitFor();
    await until(() => hasFocus(heading));
    expect(await page.title()).to.equal('Templates · Tapline');
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });

  it('says where there is no page, or nothing for this caller', async () => {
    await page.goto('/wizards/nothing-of-the-kind');
    await page.getByRole('heading', { name: 'No page here' }).waitFor();
    await page.goto('/jobs/4242');
    await page.getByText('There is no such job, or it is not yours to see.').waitFor();
  });

  it('has in its menu what the caller finds something behind: an organization’s administrator the audit', async () => {
    const { id } = await stage.make('users/', { username: 'manager', password: 'long enough 1' });
    const menu = async () => {
      const other = await stage.fresh();
      await stage.logIn(other, 'manager', 'long enough 1');
      const main = other.getByRole('navigation', { name: 'Main' });
      await main.getByRole('link', { name: 'Activity' }).waitFor();
      const labels = await main.getByRole('link').allTextContents();
      await other.goto('/audit');
      await other.getByText(/^(?:There is no event yet\.|\d+ audit|1 event)$/).waitFor();
      const count = await other.getByRole('rowheader').count();
      await other.context().close();
      return { labels: labels.filter((label) => ['Audit', 'Settings', 'Plugins'].includes(label)), any: count > 0 };
    };
    expect(await menu()).to.deep.equal({ labels: [], any: false });
    const organization = await stage.make('organizations/', { name: 'Managed' });
    await stage.service.post(`roles/${organization.summary_fields.object_roles.admin_role.id}/users/`, { id });
    expect(await menu()).to.deep.equal({ labels: ['Audit'], any: true });
    await page.goto('/');
    for (const label of ['Audit', 'Settings', 'Plugins'])
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: label, exact: true }).waitFor();
  });

  it('goes only to its own pages after the login, whatever the address says', async () => {
    for (const next of ['//elsewhere.example', '/api/v2/me/']) {
      const other = await stage.fresh();
      await other.goto(`/login?next=${encodeURIComponent(next)}`);
      await other.getByLabel('User name').fill('admin');
      await other.getByLabel('Password').fill(adminPassword);
      await other.keyboard.press('Enter');
      await other.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      expect(other.url(), next).to.equal(`${stage.service.url}/`);
      await other.context().close();
    }
  });

  it('comes back to the login when the session has ended, and says so', async () => {
    await stage.service.services.db('sessions').delete();
    await page.goto('/jobs');
    await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
    await fill(adminPassword);
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    // any request would notice: the next one shall be that of the click
    await page.locator('.connection.open').waitFor();
    await page.waitForLoadState('networkidle');
    await stage.service.services.db('sessions').delete();
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByText('Your session has ended').waitFor();
    await fill(adminPassword);
    await page.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
  });

  it('keeps what was typed into a form whose session ends, for whoever typed it', async () => {
    await stage.make('users/', { username: 'other', password: 'long enough 1' });
    const typed = page.getByLabel('Name', { exact: true });
    const again = page.getByRole('dialog', { name: 'Log in again' });
    const lose = async () => {
      await page.goto('/organizations/new');
      await typed.fill('Not lost');
      await page.locator('.connection.open').waitFor();
      await page.waitForLoadState('networkidle');
      await stage.service.services.db('sessions').delete();
      await page.getByRole('button', { name: 'Create organization' }).click();
      await again.getByText('Your session has ended').waitFor();
      expect(await typed.isVisible()).to.equal(false);
      await page.keyboard.press('Escape');
      expect(await again.isVisible()).to.equal(true);
      await until(() => hasFocus(page.getByLabel('User name')));
    };
    await lose();
    await fill(adminPassword);
    await again.waitFor({ state: 'detached' });
    expect(await typed.inputValue()).to.equal('Not lost');
    expect(await page.title()).to.equal('New organization · Tapline');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('heading', { name: 'Not lost', level: 1 }).waitFor();

    await lose();
    await page.getByLabel('User name').fill('other');
    await page.getByLabel('Password').fill('long enough 1');
    await page.keyboard.press('Enter');
    await page.getByText('You may not create any organization.').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('User name').waitFor();
    await fill(adminPassword);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  });

  it('logs out', async () => {
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.find(({ name }) => name === 'userLoggedIn')?.value).to.equal('false');
    await page.goto('/jobs');
    await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
  });
});
