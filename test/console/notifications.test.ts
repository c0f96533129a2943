import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { type HttpTarget, httpTarget } from '../notifications/servers.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, pick, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: notification templates', () => {
  let stage: Stage;
  let page: Page;
  let target: HttpTarget;
  before(async () => {
    target = await httpTarget();
    stage = await openStage();
    page = stage.page;
    const body = { OUTBOUND_ALLOWED_NETWORKS: ['127.0.0.1'] };
    expect((await stage.service.request('PATCH', 'settings/system/', { body })).status).to.equal(200);
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    await target?.stop();
  });
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const save = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const stored = async () => (await stage.service.get('notification_templates/?name=Tell the team')).body.results[0];
  const inBoth = async (what: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await violations(page), `${what}, ${colorScheme}`).to.deep.equal([]);
    }
  };

  it('asks for what the chosen kind needs, and keeps secrets that nobody retypes', async () => {
    await stage.open('/notification_templates/new');
    await field('Name').fill('Tell the team');
    await pick(page, 'Organization', 'Default');
    await field('Notification type').selectOption('Email');
    await field('Port').fill('25');
    await page.getByLabel('Use TLS', { exact: true }).waitFor();
    await save('Create notification template');
    await page
      .getByRole('alert')
      .filter({ hasText: /Recipient|recipients/ })
      .waitFor();
    await field('Notification type').selectOption('Webhook');
    await field('Port').waitFor({ state: 'detached' });
    await field('Target URL').fill(`${target.url}/hook`);
    await page.getByLabel(/^HTTP Headers/).fill('{"X-Team": "shop"}');
    await page.getByLabel(/^Password/).fill('hush');
    await inBoth('the form');
    await save('Create notification template');
    await page.getByRole('heading', { name: 'Tell the team', level: 1, exact: true }).waitFor();
    const { notification_type, notification_configuration } = await stored();
    expect(notification_type).to.equal('webhook');
    expect(notification_configuration).to.include({
      url: `${target.url}/hook`,
      http_method: 'POST',
      password: '$encrypted$',
    });
    expect(notification_configuration.headers).to.deep.equal({ 'X-Team': 'shop' });

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText(/^A value is stored/).waitFor();
    await field('Use texts of your own').check();
    const body = field('Success: body');
    expect(await body.inputValue()).to.include('job_metadata');
    await body.fill('{{ nonsense');
    await save('Save');
    await page.locator('fieldset[aria-invalid]', { hasText: 'Texts' }).locator('.error').waitFor();
    await body.fill('{"done": "{{ job.name }}"}');
    await save('Save');
    await page.getByRole('heading', { name: 'Tell the team', level: 1, exact: true }).waitFor();
    expect((await stored()).messages.success.body).to.equal('{"done": "{{ job.name }}"}');
  });

  it('tests it, tells why a delivery failed, and delivers it again', async () => {
    target.answer = () => ({ status: 410 });
    await page.getByRole('button', { name: 'Test Tell the team' }).click();
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
    await row.getByText('Failed').waitFor();
    await row.getByText(/410/).waitFor();
    expect(target.seen[0]).to.include({ url: '/hook', method: 'POST' });
    expect(target.seen[0]!.headers).to.include({ 'x-team': 'shop' });
    await inBoth('the deliveries');
    target.answer = () => ({});
    const before = target.seen.length;
    await row.getByRole('button', { name: /^Deliver again/ }).focus();
    await page.keyboard.press('Enter');
    await row.getByText('Successful').waitFor();
    await until(() => Promise.resolve(target.seen.length > before));
    await row.getByRole('link', { name: /^Delivery \d+$/ }).click();
    await page.getByRole('button', { name: /^Deliver again/ }).waitFor();
    await page.locator('.record').getByText('Attempts').waitFor();
  });
});
