import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { clockOf, ruleParts, ruleText } from '../../plugins/console/web/schedules/rule-parts.ts';
import { ruleWords } from '../../plugins/console/web/schedules/rule-words.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, type Stage } from './stage.ts';

const now = new Date('2026-11-23T12:00:00Z');
const words = (rule: string) => {
  const parts = ruleParts(rule, now);
  return parts && ruleWords(parts);
};

describe('the console: rules of schedules', () => {
  const start = 'DTSTART;TZID=Europe/Berlin:20300115T090000 RRULE:';

  it('are told in words', () => {
    expect(words(`${start}FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO`)).to.equal(null);
    expect(words(`${start}FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR`)).to.equal(
      'Every 2 weeks on Monday and Friday at 09:00 (Europe/Berlin), from 15 January 2030.',
    );
    expect(words(`${start}FREQ=MONTHLY;INTERVAL=1;BYDAY=TU;BYSETPOS=3;COUNT=4`)).to.equal(
      'Every month on the third Tuesday at 09:00 (Europe/Berlin), from 15 January 2030, 4 times.',
    );
    expect(words(`${start}FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15`)).to.match(/^Every month on day 15 at 09:00/);
    expect(words(`${start}FREQ=YEARLY;INTERVAL=1`)).to.match(/^Every year on 15 January at 09:00/);
    expect(words('DTSTART:20300115T090000Z RRULE:FREQ=HOURLY;INTERVAL=6')).to.equal(
      'Every 6 hours (UTC), from 15 January 2030.',
    );
    expect(words(`${start}FREQ=DAILY;INTERVAL=1;COUNT=1`)).to.equal(
      'Once, on 15 January 2030 at 09:00 (Europe/Berlin).',
    );
    // an end is stored in UTC, and told by the clock of the rule
    expect(words(`${start}FREQ=DAILY;INTERVAL=1;UNTIL=20300701T070000Z`)).to.match(/, until 1 July 2030 at 09:00\.$/);
  });

  it('are left as text where the fields would make another rule of them', () => {
    const others = [
      `${start}FREQ=DAILY;INTERVAL=1;BYHOUR=9,17`,
      `${start}FREQ=DAILY;INTERVAL=1 EXRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=SU`,
      `${start}FREQ=MONTHLY;INTERVAL=1;BYDAY=MO;BYSETPOS=1`,
      `${start}FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=31`,
      'DTSTART:20300115T090000 RRULE:FREQ=DAILY;INTERVAL=1',
      'nonsense',
      '',
    ];
    for (const rule of others) expect(ruleParts(rule, now), rule).to.equal(null);
  });

  it('come back from the fields as they were', () => {
    for (const rule of [
      `${start}FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3`,
      `${start}FREQ=MINUTELY;INTERVAL=15`,
      'DTSTART:20300115T090000Z RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=20300701T070000Z',
    ])
      expect(ruleText(ruleParts(rule, now)!)).to.equal(rule);
    expect(clockOf(now, 'Asia/Tokyo')).to.equal('2026-11-23T21:00');
  });
});

describeWith(['chromium'], 'the console: schedules', () => {
  let stage: Stage;
  let page: Page;
  let template: number;
  before(async () => {
    stage = await openStage();
    template = (await stage.template('greet.yml', { name: 'Greet' })).id;
    page = await stage.fresh({ timezoneId: 'Asia/Tokyo', reducedMotion: 'reduce' });
    await stage.logIn(page);
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const next = () => page.getByRole('region', { name: 'Next runs' }).getByRole('listitem');
  const save = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const stored = async () => (await stage.service.get('schedules/?name=Nightly')).body.results[0];

  it('previews the next ten runs while the rule is made, and marks what is wrong beside its field', async () => {
    await page.goto('/schedules');
    await page.getByRole('link', { name: 'New schedule' }).click();
    await until(async () => (await next().count()) === 10);
    // what the form filled in by itself nobody typed
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
    await page.goto(`/schedules/new?unified_job_template=${template}`);
    await field('Name').fill('Nightly');
    await until(async () => (await next().count()) === 10);
    await page.getByText('Times of Asia/Tokyo, the zone of this browser.').waitFor();
    await field('Start').fill('2030-01-15T09:30');
    await field('Time zone').selectOption('America/New_York');
    await field('Repeated by').selectOption('Weeks');
    await field('Every how many weeks').fill('2');
    await field('Monday').check();
    await field('Friday').check();
    await page
      .getByText('Every 2 weeks on Monday and Friday at 09:30 (America/New_York), from 15 January 2030.')
      .waitFor();
    // half past nine in New York in January is half past eleven in the evening in Tokyo
    await next().first().getByText('Friday, 18 January 2030 at 23:30').waitFor();
    await next()
      .first()
      .getByText(/in [\d,]+ days, there 09:30/)
      .waitFor();
    await until(async () => (await next().count()) === 10);
    expect(await violations(page)).to.deep.equal([]);

    await field('Ends').selectOption('After a number of runs');
    await field('How many runs').fill('1000');
    const wrong = page.locator('.field.invalid', { has: field('Start') });
    await wrong.getByText(/COUNT/).waitFor();
    await until(async () => (await next().count()) === 0);
    await save('Create schedule');
    await wrong.getByText(/COUNT/).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), colorScheme).to.deep.equal([]);
    }
    await field('How many runs').fill('3');
    await until(async () => (await next().count()) === 3);
    await save('Create schedule');
    await page.getByRole('heading', { name: 'Nightly', level: 1, exact: true }).waitFor();
    expect((await stored()).rrule).to.equal(
      'DTSTART;TZID=America/New_York:20300115T093000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=3',
    );
  });

  it('shows a stored rule in words and dates, and takes it up again for a change', async () => {
    await page.getByRole('link', { name: 'Next runs' }).click();
    await page.getByText(/^Every 2 weeks on Monday and Friday at 09:30/).waitFor();
    await until(async () => (await next().count()) === 3);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), colorScheme).to.deep.equal([]);
    }
    await page.getByRole('link', { name: 'Edit' }).click();
    await until(async () => (await field('Start').inputValue()) === '2030-01-15T09:30');
    await field('Ends').selectOption('At a time');
    await field('Until').fill('2030-03-01T10:00');
    await save('Save');
    await page.getByRole('heading', { name: 'Nightly', level: 1, exact: true }).waitFor();
    expect((await stored()).rrule).to.match(/UNTIL=20300301T150000Z$/);
  });

  it('takes a rule as text that the fields do not have', async () => {
    const { id } = await stored();
    await page.goto(`/schedules/${id}/edit`);
    await field('Write the rule as text').check();
    const rule = 'DTSTART:20300115T090000Z RRULE:FREQ=DAILY;INTERVAL=1 EXRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=SU';
    await field('Rule').fill('DTSTART:20300115T090000Z');
    await page.locator('.field.invalid', { has: field('Rule') }).waitFor();
    await field('Rule').fill(rule);
    await until(async () => (await next().count()) === 10);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.locator('html').evaluate((element) => element.scrollWidth)).to.be.at.most(360);
    await save('Save');
    await page.getByRole('heading', { name: 'Nightly', level: 1, exact: true }).waitFor();
    expect((await stored()).rrule).to.equal(rule);
    await page.goto(`/schedules/${id}/edit`);
    await until(() => field('Write the rule as text').isChecked());
    await until(async () => (await field('Rule').inputValue()) === rule);
  });

  it('are shown as they are, whoever switched them last, and what was switched is taken back', async () => {
    const rrule = 'DTSTART:20300115T090000Z RRULE:FREQ=DAILY;INTERVAL=1';
    const { id } = await stage.make('schedules/', { name: 'Hourly', unified_job_template: template, rrule });
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Hourly' }) });
    const enabled = async () => (await stage.service.get(`schedules/${id}/`)).body.enabled;
    const switchTo = (word: string) => row.getByRole('button', { name: `Switch ${word} Hourly` });
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto('/schedules?name=Hourly');
    await switchTo('off').click();
    await switchTo('on').waitFor();
    await row.getByText('No', { exact: true }).waitFor();
    expect(await enabled()).to.equal(false);
    await page.getByRole('button', { name: 'Undo: Hourly is switched off.' }).click();
    await switchTo('off').waitFor();
    expect(await enabled()).to.equal(true);

    await switchTo('off').click();
    await switchTo('on').waitFor();
    await stage.service.request('PATCH', `schedules/${id}/`, { body: { enabled: true } });
    // the list is read anew, by going on from here and back
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await row.getByText('Yes', { exact: true }).waitFor();
    await switchTo('off').waitFor();

    await page.route(`**/api/v2/schedules/${id}/`, (route) =>
      route.fulfill({ status: 409, json: { detail: 'Not in the night.' } }),
    );
    await switchTo('off').click();
    await page.getByText('Hourly: Not in the night.').waitFor();
    await switchTo('off').waitFor();
    await page.unroute(`**/api/v2/schedules/${id}/`);
    expect(await enabled()).to.equal(true);
  });
});
