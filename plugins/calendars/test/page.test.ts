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

  const heading = (name: string, on = page) => on.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const tab = (name: string, on = page) =>
    on.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name, exact: true }).click();
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
    await page.getByText('There is no calendar yet.').waitFor();
    await page.getByRole('link', { name: 'New calendar' }).click();
    await heading('New calendar');
    await page.getByRole('group', { name: 'Window 1' }).waitFor();
    // what the form filled in by itself nobody typed
    await page.getByRole('button', { name: 'Cancel' }).click();
    await heading('Calendars');
    await page.getByRole('link', { name: 'New calendar' }).click();
    await heading('New calendar');
    await page.getByLabel('Name', { exact: true }).fill('Freeze');
    await page.getByRole('combobox', { name: 'Organization' }).fill('Def');
    await page.getByRole('option', { name: 'Default' }).click();
    await page.getByLabel('Kind').selectOption('Deny');
    await page.getByLabel('Timezone').fill('Moon/Base');
    await page.getByRole('button', { name: 'Create calendar' }).click();
    await page.locator('.field.invalid').getByText('There is no zone "Moon/Base".').waitFor();
    await page.getByLabel('Timezone').fill('UTC');
    const window = page.getByRole('group', { name: 'Window 1' });
    await window.getByLabel('Begins').fill('2020-01-01T00:00');
    expect(await window.getByLabel('Rule').inputValue()).to.equal(
      'DTSTART:20200101T000000 RRULE:FREQ=DAILY;INTERVAL=1',
    );
    await window.getByLabel('Lasts').fill('P2D');
    await page.getByRole('button', { name: 'Create calendar' }).click();
    const windows = page.getByRole('group', { name: 'Windows' });
    await windows.getByText('it must not last longer than until it begins again').waitFor();
    expect(await windows.evaluate((element) => element === element.ownerDocument.activeElement)).to.equal(true);
    expect(await stored()).to.deep.equal([]);
    await window.getByLabel('Lasts').fill('P1D');
    await fits();
    await page.getByRole('button', { name: 'Create calendar' }).click();
    await heading('Freeze');
    const days = page.getByRole('region', { name: 'The next days' });
    await days.getByRole('status').getByText('Launches are denied now').waitFor();
    await days.getByText('It is bound to nothing yet: it denies nothing.').waitFor();
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

  it('asks before typed text is lost, and tells a refusal as one of the service', async () => {
    const [{ id }] = await stored();
    await stage.open(`/calendars/${id}/edit`);
    await page.getByLabel('Lasts').fill('PT3H');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Calendars', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay here' })
      .click();
    expect(await page.getByLabel('Lasts').inputValue()).to.equal('PT3H');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Leave' }).click();
    await heading('Freeze');
    await stage.open('/calendars/999999');
    await page.getByText('There is no such calendar, or it is not yours to see.').waitFor();
  });

  it('keeps a rule as it is where only its length is changed, and writes what is chosen into it', async () => {
    const [{ id }] = await stored();
    const rrule = 'DTSTART;TZID=Europe/Zurich:20300101T220000\nRRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SA';
    await stage.service.request('PATCH', `calendars/${id}/`, { body: { windows: [{ rrule, duration: 'PT8H' }] } });
    await stage.open(`/calendars/${id}/edit`);
    const window = page.getByRole('group', { name: 'Window 1' });
    expect(await window.getByLabel('Begins').inputValue()).to.equal('');
    expect(await window.getByLabel('Repeats').locator('option:checked').textContent()).to.equal('as the rule says');
    await window.getByLabel('Lasts').fill('PT4H');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await heading('Freeze');
    expect((await stored())[0].windows).to.deep.equal([{ rrule, duration: 'PT4H' }]);
    await page.getByRole('region', { name: 'Windows' }).getByText('BYDAY=SA').waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await window.getByLabel('Repeats').selectOption('Every day');
    await page.getByRole('button', { name: 'Add window' }).click();
    await page.getByRole('group', { name: 'Window 2' }).waitFor();
    await page.getByRole('button', { name: 'Remove window 2' }).click();
    // whoever uses keys goes on there, not at the top of the page
    await page.locator('button:focus', { hasText: 'Remove window 1' }).waitFor();
    await window.getByLabel('Begins').fill('2020-01-01T00:00');
    await window.getByLabel('Lasts').fill('P1D');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await heading('Freeze');
    expect((await stored())[0].windows).to.deep.equal([
      { rrule: 'DTSTART:20200101T000000 RRULE:FREQ=DAILY;INTERVAL=1', duration: 'P1D' },
    ]);
  });

  it('binds it, unbinds it, changes it and deletes it', async () => {
    const template = await stage.template('greet.yml', { name: 'Greet' });
    const launch = async () => (await stage.service.post(`job_templates/${template.id}/launch/`)).status;
    const [{ id }] = await stored();
    await stage.open(`/calendars/${id}`);
    await tab('Templates');
    await page.getByLabel('Kind', { exact: true }).selectOption('Job template');
    await page.getByRole('combobox', { name: 'template to bind it to' }).fill('Gree');
    await page.getByRole('option', { name: 'Greet' }).click();
    await page.getByRole('button', { name: 'Bind', exact: true }).click();
    await row('Greet').getByRole('button', { name: 'Unbind Greet' }).waitFor();
    expect(await launch()).to.equal(403);
    await fits();
    await tab('Organizations');
    await page.getByRole('combobox', { name: 'organization to bind it to' }).fill('Def');
    await page.getByRole('option', { name: 'Default' }).click();
    await page.getByRole('button', { name: 'Bind', exact: true }).click();
    await page.getByRole('button', { name: 'Unbind Default' }).waitFor();
    await tab('Details');
    const days = page.getByRole('region', { name: 'The next days' });
    await days.getByRole('link', { name: 'organizations: 1' }).click();
    await page.getByRole('button', { name: 'Unbind Default' }).click();
    await page.getByText('There is no organization here yet.').waitFor();

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await heading('Edit Freeze');
    await page.getByLabel('Kind').selectOption('Allow');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Launches are allowed now').waitFor();
    expect(await launch()).to.equal(201);
    await tab('Templates');
    await page.getByRole('button', { name: 'Unbind Greet' }).click();
    await page.getByText('There is no template here yet.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('button', { name: 'Unbind Greet' }).waitFor();
    await page.getByRole('checkbox', { name: 'Greet' }).check();
    await page.getByRole('button', { name: 'Unbind 1', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Unbind/ })
      .click();
    await page.getByText('There is no template here yet.').waitFor();
    await tab('History');
    await page.getByRole('table').getByRole('link').first().waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete calendar' }).click();
    await page.getByText('There is no calendar yet.').waitFor();
    expect(await stored()).to.deep.equal([]);
  });

  it('finds, narrows and deletes several', async () => {
    const windows = [{ rrule: 'DTSTART:20300101T220000Z RRULE:FREQ=DAILY;INTERVAL=1', duration: 'PT8H' }];
    for (const name of ['Spring', 'Summer', 'Winter'])
      await stage.make('calendars/', { name, organization: 1, kind: name === 'Winter' ? 'allow' : 'deny', windows });
    await stage.open('/calendars?kind=deny');
    await page.getByText('2 calendars').waitFor();
    await page.getByRole('searchbox', { name: 'Search calendars' }).fill('Spr');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('1 calendar', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Remove filter Search: Spr' }).click();
    await page.getByText('2 calendars').waitFor();
    await page.getByRole('checkbox', { name: 'Spring' }).check();
    await page.getByRole('checkbox', { name: 'Summer' }).check();
    await page.getByRole('button', { name: 'Delete 2' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByText('No calendar fits.').waitFor();
    expect((await stored()).map(({ name }) => name)).to.deep.equal(['Winter']);
  });

  it('only shows it to who may not change it', async () => {
    const [{ id }] = await stored();
    const user = await stage.make('users/', { username: 'reader', password: 'long enough 1' });
    expect((await stage.service.post('organizations/1/users/', { id: user.id })).status).to.equal(204);
    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.goto('/calendars');
    await reader.getByRole('link', { name: 'Winter' }).click();
    await reader.waitForURL(`**/calendars/${id}`);
    await reader.getByRole('region', { name: 'The next days' }).getByText('Launches are denied now').waitFor();
    await tab('Templates', reader);
    await reader.getByText('There is no template here yet.').waitFor();
    for (const name of ['Edit', 'Delete', 'Bind', 'New calendar'])
      expect(await reader.getByText(name, { exact: true }).count(), name).to.equal(0);
    await reader.context().close();
  });
});
