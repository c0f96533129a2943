import { generateKeyPairSync } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { testPlugin } from '../support/plugins.ts';
import { openStage, type Stage } from './stage.ts';

const events = 30_000;

/** A finished job with a line for each event. */
async function longJob({ service, template }: Stage): Promise<number> {
  const { id: template_id } = await template('greet.yml', { name: 'Long' });
  const { db } = service.services;
  const [run] = await db('runs')
    .insert({
      kind: 'job',
      name: 'Long',
      template_id,
      status: 'successful',
      started: db.fn.now(),
      finished: db.fn.now(),
      event_count: events,
      stdout_lines: events,
    })
    .returning('id');
  await db.raw('select ensure_event_partition(?)', [run.id]);
  await db.raw(
    `insert into run_events (run_id, counter, event, event_level, uuid, stdout, start_line, end_line)
       select ?, n, 'runner_item_on_ok', 3, 'u' || n, 'changed: [web1] => (item=' || n || ')', n - 1, n from generate_series(1, ?) n`,
    [run.id, events],
  );
  return run.id;
}

const ailing = testPlugin('ailing', (api) => {
  api.health(() => ({ status: 'degraded', detail: 'The mirror is three hours behind: restart it.' }));
  api.extend('host', { related: () => ({}) });
  api.offer('ailing.point', {});
});

describeWith(['chromium'], 'the console: long output, plugins, recommendations, set-up', () => {
  let stage: Stage;
  let page: Page;
  const repository = new SourceRepository();
  before(async () => {
    repository.commit({ 'site.yml': '- hosts: web\n  gather_facts: false\n  tasks: []\n' });
    stage = await openStage({ TAPLINE_PROJECT_FILE_URLS: repository.folder }, { plugins: [ailing] });
    // as if it were the one that the service made up: that is critical
    await stage.service.services.db('users').where({ username: 'admin' }).update({ initial_password: true });
    page = stage.page;
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    rmSync(dirname(repository.folder), { recursive: true });
  });
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  it('shows any place of 30,000 lines and draws only what is in sight', async () => {
    await stage.open(`/jobs/${await longJob(stage)}`);
    const lines = page.getByRole('region', { name: 'Lines of the output' });
    await page.getByText('30,000 lines').waitFor();
    await lines.getByText('(item=1)', { exact: false }).first().waitFor();
    expect(await lines.locator('li').count()).to.be.lessThan(200);
    await lines.focus();
    await page.keyboard.press('End');
    await lines.getByText('(item=30000)').waitFor();
    await lines.evaluate((element) => void (element.scrollTop = 20 * 12_345));
    await lines.getByText('(item=12350)').waitFor();
    expect(await lines.locator('li').count()).to.be.lessThan(200);
    await stage.open(`${new URL(page.url()).pathname}?line=777`);
    await page.locator('[aria-current="location"]', { hasText: 'changed: [web1] => (item=777)' }).waitFor();
  });

  it('lists plugins with their version, and what they bring', async () => {
    await stage.open('/plugins');
    // one that has a check of its health shows what that says
    for (const [name, status] of [
      ['Console', 'On'],
      ['Recommendations', 'OK'],
    ]) {
      const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, level: 2 }) });
      await card.waitFor();
      expect(await card.textContent()).to.match(new RegExp(`${status}\\s*\\d+\\.\\d+\\.\\d+`));
    }
  });

  it('shows which plugin is not well and what to do about it, first thing', async () => {
    const detail = 'The mirror is three hours behind: restart it.';
    await stage.open('/plugins');
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'ailing', level: 2 }) });
    await card.getByText(detail).waitFor();
    expect(await card.textContent()).to.contain('1 extended resource, 1 health, 1 offer to others');
    expect(await card.locator('.status').textContent()).to.equal('Degraded');
    await stage.open('/');
    const section = page.getByRole('region', { name: 'Plugins' });
    await section.getByText(detail).waitFor();
    await section.getByRole('link', { name: 'ailing' }).click();
    await page.getByRole('heading', { name: 'Plugins', level: 1 }).waitFor();
  });

  it('shows recommendations as cards, the most severe first', async () => {
    await stage.open('/recommendations');
    const cards = page.getByRole('main').getByRole('listitem');
    await cards.first().waitFor();
    const { body } = await stage.service.get('recommendations/');
    expect(await cards.getByRole('heading').allTextContents()).to.deep.equal(
      body.results.map(({ title }: any) => title),
    );
    expect(await cards.first().textContent())
      .to.include('Critical')
      .and.include(body.results[0].why);
    expect(await cards.first().getByRole('link').getAttribute('href')).to.equal(body.results[0].action_link);
  });

  it('shows an ordinary user what is theirs, and says what is not', async () => {
    await stage.make('users/', { username: 'reader', password: 'long enough 1' });
    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.getByText('Nothing is running.').waitFor();
    expect(await reader.getByRole('heading', { name: 'Plugins' }).count()).to.equal(0);
    await reader.goto('/plugins');
    await reader.getByText('You may not see this list of plugins.').waitFor();
    await reader.goto('/templates');
    await reader.getByText('There is no template yet.').waitFor();
    await reader.goto('/setup');
    await reader.getByLabel('Name', { exact: true }).fill('Mine');
    await reader.getByLabel('Address of the repository').fill(repository.url);
    await reader.getByRole('button', { name: 'Connect', exact: true }).click();
    await reader.getByRole('alert').waitFor();
    await reader.context().close();
  });

  it('leads an empty installation to a first run of its own', async () => {
    const { db } = stage.service.services;
    await db('hosts').where({ name: 'web1' }).delete();
    await stage.open('/');
    await page.getByRole('heading', { name: 'Next: connect your repository' }).waitFor();
    await page.getByRole('link', { name: 'Go on setting up' }).click();
    await page.getByText('0 of 5 steps are done.').waitFor();
    const step = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: new RegExp(name) }) });

    await page.getByLabel('Name', { exact: true }).fill('Own playbooks');
    await page.getByLabel('Address of the repository').fill('ext::sh -c true');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await step('Connect your repository').locator('.error').waitFor();
    expect(await page.getByLabel('Address of the repository').getAttribute('aria-invalid')).to.equal('true');
    await page.getByLabel('Address of the repository').fill(`${repository.url}/nosuch`);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page
      .getByText('its repository could not be read. The project cannot be updated: there is no folder')
      .waitFor();
    // whoever leaves it there finds it again
    await page.goto('/setup');
    await page.getByText('Own playbooks is there, but its repository was not read so far.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Own playbooks');
    await page.getByRole('button', { name: 'Connect another one' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('');
    await page.goto('/setup');
    expect(await page.getByLabel('Address of the repository').inputValue()).to.equal(`${repository.url}/nosuch`);
    await page.getByLabel('How it is read').selectOption('With a user and a token or password');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Type the token or the password here.').waitFor();
    await page.getByLabel('User', { exact: false }).fill('ci');
    await page.getByLabel('Token or password').fill('sesame');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByLabel('How it is read').locator('option:checked', { hasText: 'that is there already' }).waitFor({
      state: 'attached',
    });
    await page.getByText('its repository could not be read.').waitFor();
    expect(await page.getByLabel('Credential').locator('option:checked').textContent()).to.equal(
      'Repository of Own playbooks',
    );
    await page.getByLabel('Address of the repository').fill(repository.url);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('1 of 5 steps are done.').waitFor();
    await page.getByRole('status').filter({ hasText: 'Own playbooks is connected.' }).waitFor();

    await page.getByLabel('Name', { exact: true }).fill('Deploy key');
    await page.getByLabel('Private ssh key').fill('not a key');
    await page.getByRole('button', { name: 'Store key' }).click();
    await step('Add a key')
      .locator('.field.invalid', { has: page.getByLabel('Private ssh key') })
      .waitFor();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await page.getByLabel('Private ssh key').fill(privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
    await page.getByRole('button', { name: 'Store key' }).click();
    await page.getByText('2 of 5 steps are done.').waitFor();

    await page.getByLabel('Name of the new inventory').fill('Staging');
    await page.getByLabel('Host', { exact: true }).fill('app1');
    await page.getByLabel(/^Address/).fill('127.0.0.1');
    await page.getByLabel(/^Group/).fill('web');
    await page.getByRole('button', { name: 'Add host' }).click();
    await page.getByText('3 of 5 steps are done.').waitFor();

    await page.getByLabel('Name', { exact: true }).fill('Site');
    await page.getByLabel('Project', { exact: true }).selectOption('Own playbooks');
    await page.getByLabel('Playbook', { exact: true }).selectOption('site.yml');
    await page.getByLabel(/^Inventory/).selectOption('Staging');
    await page.getByLabel(/^Credential/).selectOption('Deploy key');
    await page.getByRole('button', { name: 'Make template' }).click();
    await page.getByRole('link', { name: 'Launch Site' }).click();
    await page.getByRole('button', { name: 'Launch', exact: true }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
    await page.goto('/setup');
    await page.getByText('Everything is there.').waitFor();
    const host = await db('hosts').where({ name: 'app1' }).first('variables');
    expect(JSON.parse(host.variables)).to.deep.equal({ ansible_host: '127.0.0.1' });
    const [project] = (await stage.service.get('projects/?name=Own playbooks')).body.results;
    const credential = (await stage.service.get(`credentials/${project.credential}/`)).body;
    expect(credential.inputs).to.deep.equal({ username: 'ci', password: '$encrypted$' });
  });

  it('tries again by itself when the service was away as it was loaded', async () => {
    const other = await stage.fresh();
    await stage.logIn(other);
    let away = 2;
    await other.route('**/api/v2/me/', (route) =>
      away-- > 0 ? route.fulfill({ status: 503, json: { detail: 'It is starting.' } }) : route.continue(),
    );
    await other.goto('/plugins');
    await other.getByRole('alert').getByText('It is starting.').waitFor();
    await other.getByRole('heading', { name: 'Plugins', level: 1 }).waitFor();
    await other.context().close();
    const unavailable =
      'console: Failed to load resource: the server responded with a status of 503 (Service Unavailable)';
    expect(stage.problems()).to.deep.equal([unavailable, unavailable]);
  });
});
