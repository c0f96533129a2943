import { readFileSync } from 'node:fs';
import { stages } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { local, openStage, play, type Stage } from './stage.ts';

const events = 200_000;
const failedAt = 150_000;

/** A finished job that says a line for each event, and fails far down. */
async function longJob({ service, template }: Stage): Promise<number> {
  const { id: template_id } = await template('greet.yml', { name: 'Long' });
  const { db } = service.services;
  const [run] = await db('runs')
    .insert({
      kind: 'job',
      name: 'Long',
      template_id,
      status: 'failed',
      started: db.fn.now(),
      finished: db.fn.now(),
      event_count: events,
      stdout_lines: events,
    })
    .returning('id');
  await db.raw('select ensure_event_partition(?)', [run.id]);
  await db.raw(
    `insert into run_events (run_id, counter, event, event_level, uuid, stdout, start_line, end_line, failed)
       select ?, n, case when n = ? then 'runner_on_failed' else 'runner_item_on_ok' end, 3, 'u' || n,
         case when n = ? then 'fatal: [web1]: FAILED!' else 'changed: [web1] => (item=' || n || ')' end, n - 1, n, n = ?
       from generate_series(1, ?) n`,
    [run.id, failedAt, failedAt, failedAt, events],
  );
  return run.id;
}

const varied = play(
  [
    '    - name: Say hello\n      debug: {msg: "hello {{ who }}"}\n',
    '    - name: Take a moment\n      wait_for: {timeout: 1}\n      when: inventory_hostname == "web1"\n',
    '    - name: Open the door\n      fail: {msg: "the door is locked"}\n      when: inventory_hostname == "web2"\n',
  ].join(''),
);

const doorkeeper = testPlugin('doorkeeper', (api) =>
  api.hooks.beforeStart({ name: 'look', stage: stages.policy, failMode: 'allow' }, () => undefined),
);

describeWith(['chromium'], 'the console: everything about one job', () => {
  let stage: Stage;
  let page: Page;
  let job: number;
  before(async () => {
    stage = await openStage({}, { more: { 'varied.yml': varied }, plugins: [doorkeeper] });
    page = stage.page;
    await stage.make('hosts/', { name: 'web2', inventory: stage.inventory, variables: local });
    const { id } = await stage.template('varied.yml', {
      name: 'Varied',
      extra_vars: 'colour: green',
      ask_variables_on_launch: true,
    });
    job = (await stage.make(`job_templates/${id}/launch/`, { extra_vars: { who: 'the operator' } })).job;
    await until(async () => (await stage.service.get(`jobs/${job}/`)).body.event_processing_finished);
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const part = async (name: string) => {
    await page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link', { name, exact: true }).click();
    await until(async () => (await page.getByText(/^Loading/).count()) === 0);
  };
  const cells = (table: string) =>
    page
      .getByRole('table', { name: table })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!.trim())));

  it('searches 200,000 lines and jumps to the failure, drawing only what is in sight', async () => {
    await stage.open(`/jobs/${await longJob(stage)}`);
    const lines = page.getByRole('region', { name: 'Lines of the output' });
    const marked = page.locator('[aria-current="location"]');
    await page.getByText('200,000 lines').waitFor();
    const search = page.getByRole('searchbox', { name: 'Search the output' });
    await search.fill('item=12345');
    await search.press('Enter');
    await marked.getByText('(item=12345)').waitFor();
    expect(await marked.locator('mark').textContent()).to.equal('item=12345');
    // the search goes on from there by the same key
    await search.press('Enter');
    await marked.getByText('(item=123450)').waitFor();
    await page.getByRole('button', { name: 'Before' }).click();
    await marked.getByText('(item=12345)', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Next failure' }).click();
    await marked.getByText('fatal: [web1]: FAILED!').waitFor();
    expect(new URL(page.url()).searchParams.get('line')).to.equal(String(failedAt));
    await search.fill('nowhere to be found');
    await search.press('Enter');
    await page.getByText('It is not in the output.').waitFor();
    await lines.evaluate((element) => void (element.scrollTop = element.scrollHeight));
    await lines.getByText('(item=200000)').waitFor();
    expect(await lines.locator('li').count()).to.be.lessThan(200);
    // the place is an address
    await page.reload();
    await marked.getByText('fatal: [web1]: FAILED!').waitFor();
  });

  it('is left while it scrolls', async () => {
    await stage.open(`/jobs/${job}`);
    const scroller = await page.getByRole('region', { name: 'Lines of the output' }).elementHandle();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Hosts', exact: true }).click();
    await page.getByRole('heading', { name: 'Hosts', level: 1 }).waitFor();
    // a browser tells of it in the next frame
    await scroller!.evaluate((element) => element.dispatchEvent(new Event('scroll')));
  });

  it('saves the whole output as a file', async () => {
    await stage.open(`/jobs/${job}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download', exact: true }).click();
    const file = await saved;
    expect(file.suggestedFilename()).to.equal(`job_${job}.txt`);
    const { body } = await stage.service.get(`jobs/${job}/stdout/?format=txt`);
    expect(readFileSync(await file.path(), 'utf8').trim())
      .to.equal(body.trim())
      .and.include('the door is locked');
  });

  it('shows how it went on each host, and on one of them task by task down to the line', async () => {
    await stage.open(`/jobs/${job}`);
    await part('Hosts');
    expect((await cells('How it went on each host')).map((row) => row.slice(0, 5))).to.deep.equal([
      ['web2', 'Failed', '1', '0', '1'],
      ['web1', 'Successful', '2', '0', '0'],
    ]);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Only those that failed' }).click();
    await until(async () => (await cells('How it went on each host')).length === 1);
    await page.getByRole('link', { name: 'web2' }).click();
    await page.getByRole('table', { name: 'Tasks on web2' }).waitFor();
    const tasks = await cells('Tasks on web2');
    expect(tasks.map(([task, result]) => [task, result])).to.deep.equal([
      ['Say hello', 'OK'],
      ['Take a moment', 'Skipped'],
      ['Open the door', 'Failed'],
    ]);
    expect(tasks[2]![2]).to.equal('the door is locked');
    await page
      .getByRole('row', { name: /Open the door/ })
      .getByRole('link', { name: /Line \d+/ })
      .click();
    await page.locator('[aria-current="location"]', { hasText: 'fatal: [web2]' }).waitFor();
    await page.goBack();
    await page.getByRole('table', { name: 'Tasks on web2' }).waitFor();
  });

  it('shows its tasks, how each ended on every host, and where the time went', async () => {
    await stage.open(`/jobs/${job}?tab=tasks`);
    await page.getByRole('table', { name: 'Tasks in their order' }).waitFor();
    expect((await cells('Tasks in their order')).map(([, result, module]) => [result, module])).to.deep.equal([
      ['OK', 'debug'],
      ['OK', 'wait_for'],
      ['Failed', 'fail'],
    ]);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Open the door' }).click();
    await page.getByRole('table', { name: 'How it ended on each host' }).waitFor();
    const ended = await cells('How it ended on each host');
    expect(ended.map(([host, result]) => `${host} ${result}`)).to.have.members(['web1 Skipped', 'web2 Failed']);
    await part('Timeline');
    const order = ['Before the first task', 'Say hello', 'Take a moment', 'Open the door'];
    expect((await cells('Tasks along the time')).map(([task]) => task)).to.deep.equal(order);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('link', { name: 'Longest first' }).click();
    const took = () =>
      page.locator('.bar rect').evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('width'))));
    await until(async () => (await took()).every((width, i, all) => i === 0 || all[i - 1]! >= width));
  });

  it('says where each variable and value comes from, and what plugins did', async () => {
    await stage.open(`/jobs/${job}`);
    await part('Variables and decision');
    const values = await cells('Variables and their origin');
    expect(values).to.have.deep.members([
      ['colour', 'green', 'template'],
      ['who', 'the operator', 'prompt'],
    ]);
    const others = await cells('Other values and their origin');
    expect(others).to.deep.include(['inventory', 'Production', 'template']);
    const traces = page.getByRole('table', { name: 'What plugins did' });
    await traces.getByRole('row', { name: /doorkeeper : look/ }).waitFor();
    expect(await violations(page)).to.deep.equal([]);
  });

  it('lists events with filters and all they hold, and leads to the same in the API', async () => {
    await stage.open(`/jobs/${job}`);
    await part('Events');
    await page.getByLabel('Filter by').selectOption({ label: 'Host name' });
    await page.getByLabel('Value of Host name').fill('web2');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText('Host name contains web2').waitFor();
    await until(async () => (await cells('Events')).every(([, , host]) => host === 'web2'));
    await page
      .getByText(/^Data of event/)
      .last()
      .click();
    await page.getByText('"msg": "the door is locked"').waitFor();
    expect(await page.getByRole('link', { name: 'The same in the API' }).getAttribute('href')).to.match(
      new RegExp(`^/api/v2/jobs/${job}/job_events/\\?.*host_name__icontains=web2`),
    );
    expect(await violations(page)).to.deep.equal([]);
  });
});
