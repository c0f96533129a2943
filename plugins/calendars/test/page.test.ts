import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';

describeWith(['chromium'], 'the console: calendars', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage({ TAPLINE_PLUGINS: 'console,calendars' });
    page = stage.page;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const heading = (name: string) => page.getByRole('heading', { name, level: 2, exact: true }).waitFor();
  const fits = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), colorScheme).to.deep.equal([]);
    }
  };
  const stored = async () => (await stage.service.get('calendars/?order_by=id')).body.results as any[];

  it('makes one, with what the API says at its fields, and tells what it comes to', async () => {
    await stage.open('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calendars', exact: true }).click();
    await page.getByText('There are no calendars yet.').waitFor();
    await page.getByRole('link', { name: 'New calendar' }).click();
    await heading('New calendar');
    await page.getByLabel('Name', { exact: true }).fill('Freeze');
    await page.getByLabel('Zone').fill('Moon/Base');
    await page.getByRole('button', { name: 'Save calendar' }).click();
    await page.locator('.field.invalid').getByText('There is no zone "Moon/Base".').waitFor();
    await page.getByLabel('Zone').fill('UTC');
    await page.getByLabel('Begins').fill('2020-01-01T00:00');
    expect(await page.getByLabel('Rule').inputValue()).to.equal('DTSTART:20200101T000000 RRULE:FREQ=DAILY;INTERVAL=1');
    await page.getByLabel('Lasts').fill('P2D');
    await page.getByRole('button', { name: 'Save calendar' }).click();
    await page.getByText('it must not last longer than until it begins again').waitFor();
    expect(await stored()).to.deep.equal([]);
    await page.getByLabel('Lasts').fill('P1D');
    await fits();
    await page.getByRole('button', { name: 'Save calendar' }).click();
    await heading('Freeze');
    const days = page.getByRole('region', { name: 'The next days' });
    await days.getByRole('status').getByText('Launches are denied now').waitFor();
    expect(await days.getByRole('row').count()).to.equal(15);
    expect(await days.getByRole('row').nth(2).textContent()).to.match(/all day$/);
    const [one] = await stored();
    expect(one).to.deep.include({
      name: 'Freeze',
      kind: 'deny',
      timezone: 'UTC',
      organization: 1,
      windows: [{ rrule: 'DTSTART:20200101T000000 RRULE:FREQ=DAILY;INTERVAL=1', duration: 'P1D' }],
    });
  });

  it('says so when nothing could be searched', async () => {
    const [{ id }] = await stored();
    const other = await stage.fresh();
    await stage.logIn(other);
    await other.route('**/organizations/?*search=*', (route) => route.abort());
    await other.goto(`/calendars/${id}`);
    await other.getByLabel('Search').fill('D');
    await other.getByText('The service cannot be reached').waitFor();
    await other.context().close();
    expect(stage.problems()).to.deep.equal(['console: Failed to load resource: net::ERR_FAILED']);
  });

  it('binds it, unbinds it, changes it and deletes it', async () => {
    const template = await stage.template('greet.yml', { name: 'Greet' });
    const launch = async () => (await stage.service.post(`job_templates/${template.id}/launch/`)).status;
    const [{ id }] = await stored();
    await stage.open(`/calendars/${id}`);
    const bound = page.getByRole('region', { name: 'Bound to' });
    await bound.getByText('Nothing yet: it denies nothing.').waitFor();
    await bound.getByLabel('Kind').selectOption('Job template');
    await bound.getByLabel('Search').fill('Gree');
    await bound.getByRole('option', { name: 'Greet' }).waitFor({ state: 'attached' });
    await bound.getByLabel('Which one').selectOption('Greet');
    await bound.getByRole('button', { name: 'Bind' }).click();
    await bound.getByRole('button', { name: 'Unbind Greet' }).waitFor();
    expect(await launch()).to.equal(403);
    await fits();

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await heading('Edit Freeze');
    await page.getByLabel('Kind').selectOption({ label: 'Allow: nothing starts outside of its windows' });
    await page.getByRole('button', { name: 'Save calendar' }).click();
    await page.getByText('Launches are allowed now').waitFor();
    expect(await launch()).to.equal(201);
    await bound.getByRole('button', { name: 'Unbind Greet' }).click();
    await bound.getByText('Nothing yet').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it and its bindings' }).click();
    await page.getByText('There are no calendars yet.').waitFor();
    expect(await stored()).to.deep.equal([]);
  });

  it('only shows it to who may not change it', async () => {
    const windows = [{ rrule: 'DTSTART:20300101T220000Z RRULE:FREQ=DAILY;INTERVAL=1', duration: 'PT8H' }];
    const { id } = await stage.make('calendars/', { name: 'Nights', organization: 1, kind: 'allow', windows });
    const user = await stage.make('users/', { username: 'reader', password: 'long enough 1' });
    expect((await stage.service.post('organizations/1/users/', { id: user.id })).status).to.equal(204);
    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.goto('/calendars');
    await reader.getByRole('link', { name: 'Nights' }).click();
    await reader.waitForURL(`**/calendars/${id}`);
    await reader.getByRole('region', { name: 'The next days' }).getByText('Launches are denied now').waitFor();
    for (const name of ['Edit', 'Delete', 'Bind', 'New calendar'])
      expect(await reader.getByText(name, { exact: true }).count(), name).to.equal(0);
    await reader.context().close();
  });
});
