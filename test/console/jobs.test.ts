import { rmSync, writeFileSync } from 'node:fs';
import { stages } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { hasFocus, openStage, pick, play, type Stage, tabTo } from './stage.ts';

/** Says more in a second than is sent to those who watch. */
const chatter = play(
  '    - name: Count\n      debug: {msg: "number {{ item }}"}\n      loop: "{{ range(1, 151) | list }}"\n',
);

/** Denies what says so in its name, as policies and scanners will. */
const doorkeeper = testPlugin('doorkeeper', (api) =>
  api.hooks.beforeStart({ name: 'deny', stage: stages.policy, failMode: 'deny' }, ({ run }) =>
    String(run['name']).startsWith('Forbidden')
      ? { status: 403, body: { detail: 'Policy denied launch.', reasons: ['Not on a Friday.', 'Not by you.'] } }
      : undefined,
  ),
);

describeWith(['chromium'], 'the console: run jobs and read them', () => {
  let stage: Stage;
  let page: Page;
  let release: string;
  before(async () => {
    stage = await openStage({}, { more: { 'chatter.yml': chatter }, plugins: [doorkeeper] });
    page = stage.page;
    release = stage.release;
    await stage.template('greet.yml', {
      name: 'Greet',
      ask_variables_on_launch: true,
      ask_forks_on_launch: true,
      ask_verbosity_on_launch: true,
      ask_credential_on_launch: true,
      ask_inventory_on_launch: true,
      ask_labels_on_launch: true,
    });
    await stage.template('held.yml', {
      name: 'Hold',
      extra_vars: JSON.stringify({ release }),
    });
    await stage.template('failing.yml', { name: 'Fail' });
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const status = (text: string) => page.locator('.page-head .status', { hasText: text });
  const output = () => page.getByRole('region', { name: 'Lines of the output' });
  const launch = async (name: string) => {
    await stage.open('/templates');
    await page.getByRole('link', { name: `Launch ${name}` }).click();
    await page.getByRole('button', { name: 'Launch' }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    return Number(page.url().split('/').at(-1));
  };

  it('leads from the menu through launch and output to the failing line, by keyboard alone', async () => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await tabTo(
      page,
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Templates', exact: true }),
    );
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Launch Fail' }).waitFor();
    await tabTo(page, page.getByRole('link', { name: 'Launch Fail' }));
    await page.keyboard.press('Enter');
    await page.getByText('It asks for nothing').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Launch' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/jobs\/\d+$/);
    await status('Failed').waitFor();
    const section = page.getByRole('region', { name: 'What failed' });
    await section.getByText('sudo: a password is required').waitFor();
    expect(await section.textContent())
      .to.include('web1')
      .and.include('Open the vault door')
      .and.include('What to do: Becoming another user needs a password');
    const link = section.getByRole('link', { name: /Show line \d+ of the output/ });
    const line = Number(/\d+/.exec((await link.textContent())!)![0]);
    await tabTo(page, link);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`line=${line}$`));
    const marked = page.locator('[aria-current="location"]');
    await marked.waitFor();
    expect(await marked.textContent()).to.include('fatal: [web1]');
    await until(() => hasFocus(output()));
    await until(async () => (await page.getByText(/^Job \d+: Failed$/).count()) === 1);
  });

  it('asks for exactly what the template asks for, and shows each error at its field', async () => {
    await stage.open('/templates');
    await page.getByRole('link', { name: 'Launch Greet' }).click();
    const variables = page.getByRole('textbox', { name: /^Extra variables/ });
    await variables.waitFor();
    // what this version has no list of is not asked for
    for (const absent of ['Limit', 'Labels', 'Tags'])
      expect(await page.getByLabel(absent, { exact: false }).count(), absent).to.equal(0);
    await page.getByRole('group', { name: 'Credentials' }).getByLabel('Demo Credential (Machine)').waitFor();
    expect(
      await page
        .getByLabel(/^Inventory/)
        .locator('option:checked')
        .textContent(),
    ).to.equal('Production');
    await variables.fill('who: [');
    await page.getByRole('spinbutton', { name: /^Forks/ }).fill('-1');
    await page.getByRole('button', { name: 'Launch' }).click();
    await page.getByRole('alert').waitFor();
    const field = page.locator('.field', { has: variables });
    await field.locator('.error').waitFor();
    expect(await variables.getAttribute('aria-invalid')).to.equal('true');
    const described = (await variables.getAttribute('aria-describedby'))!.split(' ');
    expect(described).to.include(await field.locator('.error').getAttribute('id'));
    expect(await page.getByRole('spinbutton', { name: /^Forks/ }).getAttribute('aria-invalid')).to.equal('true');
    await until(() => hasFocus(variables));
  });

  it('launches with what was typed and shows the output with its colours', async () => {
    await page.getByRole('textbox', { name: /^Extra variables/ }).fill('who: the operator');
    await page.getByRole('spinbutton', { name: /^Forks/ }).fill('2');
    await page.getByLabel(/^Verbosity/).selectOption('0 (Normal)');
    await page.getByRole('button', { name: 'Launch' }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await output().getByText('"msg": "hello the operator"').waitFor();
    await status('Successful').waitFor();
    expect(await output().locator('.ansi-green').first().textContent()).to.include('ok: [web1]');
    const id = Number(page.url().split('/').at(-1));
    const { body } = await stage.service.get(`jobs/${id}/`);
    expect([body.forks, body.extra_vars]).to.deep.equal([2, '{"who":"the operator"}']);
  });

  it('asks for the passwords that credentials leave open, at a launch and at a relaunch', async () => {
    const { db } = stage.service.services;
    const machine = await db('credential_types').where({ namespace: 'ssh' }).first('id');
    const { id: credential } = await stage.make('credentials/', {
      name: 'Asks',
      organization: 1,
      credential_type: machine.id,
      inputs: { username: 'deploy', password: 'ASK' },
    });
    const { id } = await stage.template('greet.yml', { name: 'Secret' });
    await stage.service.post(`job_templates/${id}/credentials/`, { id: credential });
    await stage.open(`/templates/${id}/launch`);
    const password = page.getByLabel('Password for ssh');
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.getByText('This password is needed to start.').waitFor();
    expect(await password.getAttribute('aria-invalid')).to.equal('true');
    await password.fill('not told to anybody');
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await status('Successful').waitFor();
    const first = page.url();
    await page.getByRole('button', { name: 'Relaunch', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Passwords for this launch' });
    await dialog.getByLabel('Password for ssh').fill('not told to anybody');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href !== first && /\/jobs\/\d+$/.test(url.pathname));
    await status('Successful').waitFor();
  });

  it('launches once for a double click, and for a second try after an answer that was lost', async () => {
    const { id } = await stage.template('greet.yml', { name: 'Once', allow_simultaneous: true });
    const count = async () => (await stage.service.get('jobs/?name=Once')).body.count;
    // the service has done it, and the line breaks before it can say so
    const loseAnswer = (path: string) => {
      let lost = false;
      return page.route(path, async (route) => {
        if (lost || route.request().method() !== 'POST') return route.continue();
        lost = true;
        await route.fetch();
        return route.abort('connectionreset');
      });
    };
    await loseAnswer(`**/job_templates/${id}/launch/`);
    await stage.open(`/templates/${id}`);
    await page
      .getByRole('link', { name: /^Launch/ })
      .first()
      .click();
    await page.getByText('It asks for nothing').waitFor();
    const button = page.getByRole('button', { name: 'Launch', exact: true });
    await button.click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    expect(stage.problems().join()).to.include('ERR_CONNECTION_RESET');
    await button.dblclick();
    await page.waitForURL(/\/jobs\/\d+$/);
    await status('Successful').waitFor();
    expect(await count()).to.equal(1);
    const again = page.getByRole('button', { name: 'Relaunch', exact: true });
    const elsewhere = (from: string) => (url: URL) => url.href !== from && /\/jobs\/\d+$/.test(url.pathname);
    let from = page.url();
    await again.dblclick();
    await page.waitForURL(elsewhere(from));
    await status('Successful').waitFor();
    expect(await count()).to.equal(2);
    from = page.url();
    await loseAnswer('**/jobs/*/relaunch/');
    await again.click();
    await page.getByText('Relaunch failed: The service cannot be reached').waitFor();
    expect(stage.problems().join()).to.include('ERR_CONNECTION_RESET');
    await again.click();
    await page.waitForURL(elsewhere(from));
    await status('Successful').waitFor();
    expect(await count()).to.equal(3);
  });

  it('tells the reasons of a launch that was denied', async () => {
    const { id } = await stage.template('greet.yml', { name: 'Forbidden' });
    await stage.open(`/templates/${id}/launch`);
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.locator('p, li').allTextContents()).to.deep.equal([
      'Policy denied launch.',
      'Not on a Friday.',
      'Not by you.',
    ]);
  });

  it('shows every line of a job that says more than is sent to watchers', async () => {
    const { id } = await stage.template('chatter.yml', { name: 'Chatter' });
    await stage.open(`/templates/${id}/launch`);
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await status('Successful').waitFor();
    const { body } = await stage.service.get(`jobs/${page.url().split('/').at(-1)}/stdout/?format=txt`);
    const expected = (body as string).split('\n').slice(0, -1);
    await page.getByText(`${expected.length} lines`, { exact: true }).waitFor();
    for (const at of [0, 100, 200, 300, 400]) {
      await output().evaluate((element, top) => void (element.scrollTop = top), at * 20);
      const line = expected[at + 5]!;
      const shown = output().locator(`li[value="${at + 6}"] code`);
      await until(async () => (await shown.textContent()) === line, 30_000, `line ${at + 6} is ${line}`);
    }
  });

  it('follows a running job, shows it in the lists, and finds its way back after the service was away', async () => {
    rmSync(release, { force: true });
    const id = await launch('Hold');
    await status('Running').waitFor();
    await output().getByText('"msg": "begun"').waitFor();
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).to.equal('true');
    await page.getByRole('link', { name: 'Overview' }).click();
    const running = page.getByRole('table', { name: 'Running jobs' });
    await running.getByRole('link', { name: 'Hold' }).click();
    await page.waitForURL(`**/jobs/${id}`);
    await status('Running').waitFor();
    await stage.restart(async () => {
      await page.getByText('Connection lost, trying again').waitFor();
    });
    await page.locator('.connection.open').waitFor();
    writeFileSync(release, '');
    await output().getByText('"msg": "all done"').waitFor();
    await status('Successful').waitFor();
    await page.getByRole('button', { name: 'Relaunch', exact: true }).waitFor();
    // the refused connections while it was away
    expect(
      stage
        .problems()
        .filter((problem) => !/ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY_RESPONSE|WebSocket connection/.test(problem)),
    ).to.deep.equal([]);
  });

  it('asks before it cancels, gives the focus back, and relaunches', async () => {
    rmSync(release, { force: true });
    await launch('Hold');
    await status('Running').waitFor();
    const button = page.getByRole('button', { name: 'Cancel job' });
    await button.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel Hold?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(() => hasFocus(button));
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel job' }).click();
    await status('Canceled').waitFor();
    writeFileSync(release, '');
    const before = page.url();
    await page.getByRole('button', { name: 'Relaunch', exact: true }).click();
    await page.waitForURL((url) => url.href !== before && /\/jobs\/\d+$/.test(url.pathname));
    await status('Successful').waitFor();
  });

  it('narrows the list of jobs by search and filters, which stand in the address', async () => {
    await stage.open('/jobs?show=successful');
    await page.getByRole('searchbox').fill('Greet');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText('Search: Greet').waitFor();
    await page.getByLabel('Filter by').selectOption({ label: 'Name' });
    await page.getByLabel('Value of Name').fill('Gre');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('list', { name: 'Filters' }).getByText('Name contains Gre').waitFor();
    await page.getByRole('rowheader').first().getByText('Greet').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).to.deep.equal({
      show: 'successful',
      search: 'Greet',
      name__icontains: 'Gre',
    });
    await page.getByRole('navigation', { name: 'Which jobs' }).getByRole('link', { name: 'Failed' }).click();
    await page.getByText('There is none of these.').waitFor();
    await page.getByRole('link', { name: 'Remove filter Search: Greet' }).click();
    await page.getByRole('link', { name: 'Remove filter Name contains Gre' }).click();
    await page.getByRole('rowheader').first().waitFor();
    expect(new URL(page.url()).search).to.equal('?show=failed');
  });

  it('keeps a search that is typed as soon as there is a place for it', async () => {
    const other = await stage.fresh();
    await stage.logIn(other);
    // before anything that the page does of itself once it is drawn, as on a machine that has much to do
    await other.addInitScript(() => {
      const { document, MutationObserver, Event } = globalThis as any;
      const typing = new MutationObserver(() => {
        const box = document.querySelector('input[type="search"]');
        if (!box) return;
        typing.disconnect();
        box.value = 'Greet';
        box.dispatchEvent(new Event('input', { bubbles: true }));
      });
      typing.observe(document, { childList: true, subtree: true });
    });
    await other.goto('/jobs');
    await other.getByRole('rowheader').first().waitFor();
    expect(await other.getByRole('searchbox').inputValue()).to.equal('Greet');
    await other.getByRole('button', { name: 'Search', exact: true }).click();
    await other.getByRole('list', { name: 'Filters' }).getByText('Search: Greet').waitFor();
    await other.context().close();
  });

  it('narrows it to canceled ones, to those of a template and to those that somebody launched', async () => {
    const [first] = (await stage.service.get('jobs/?order_by=id')).body.results;
    const count = async (filter: string) => (await stage.service.get(`unified_jobs/?${filter}`)).body.count;
    await stage.service.services.db('runs').where({ id: first.id }).update({ status: 'canceled' });
    await stage.open('/jobs');
    await page.getByRole('navigation', { name: 'Which jobs' }).getByRole('link', { name: 'Canceled' }).click();
    await until(async () => (await page.getByRole('rowheader').count()) === (await count('status=canceled')));
    await page.getByRole('rowheader').getByText(first.name).first().waitFor();

    const narrow = async (field: string, value: string) => {
      await page.getByLabel('Filter by').selectOption({ label: field });
      await pick(page, `Value of ${field}`, value);
      await page.getByRole('button', { name: 'Add filter' }).click();
    };
    const chips = page.getByRole('list', { name: 'Filters' });
    await stage.make('users/', { username: 'idle', password: 'long enough 1' });
    await stage.open('/jobs');
    await narrow('Unified job template', first.name);
    await chips.getByText(`Unified job template: ${first.name}`).waitFor();
    const ofIt = await count(`unified_job_template=${first.unified_job_template}`);
    await until(async () => (await page.getByRole('rowheader').count()) === Math.min(25, ofIt));
    await narrow('Launched by', 'idle');
    await chips.getByText('Launched by: idle').waitFor();
    await page.getByText('There is none of these.').waitFor();
    await page.getByRole('link', { name: 'Remove filter Launched by: idle' }).click();
    await narrow('Launched by', 'admin');
    await page.getByRole('rowheader').getByText(first.name).first().waitFor();
  });

  it('narrows it from a day on, which begins with midnight where its reader is', async () => {
    // half past midnight of the 26th in Tokyo, and still the 25th in UTC
    const early = (await stage.template('greet.yml', { name: 'Early bird' })).id;
    const { body } = await stage.service.post(`job_templates/${early}/launch/`);
    await until(async () => (await stage.service.get(`jobs/${body.id}/`)).body.status === 'successful');
    const at = async (created: string) => stage.service.services.db('runs').where({ id: body.id }).update({ created });
    const tokyo = await stage.fresh({ timezoneId: 'Asia/Tokyo' });
    await stage.logIn(tokyo);
    await tokyo.goto('/jobs?name__icontains=Early');
    await tokyo.getByLabel('Filter by').selectOption({ label: 'Created' });
    await tokyo.getByLabel('Value of Created').fill('2031-05-26');
    await at('2031-05-25T15:30:00Z');
    await tokyo.getByRole('button', { name: 'Add filter' }).click();
    await tokyo.getByRole('list', { name: 'Filters' }).getByText('Created from 5/26/2031', { exact: true }).waitFor();
    await tokyo.getByRole('rowheader').getByText('Early bird').waitFor();
    await at('2031-05-25T14:30:00Z');
    await tokyo.reload();
    await tokyo.getByText('There is none of these.').waitFor();
    await tokyo.context().close();
  });
});
