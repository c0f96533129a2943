import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stages } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { catalogue } from '../../plugins/recommendations/rules/catalogue.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, type Stage } from './stage.ts';

const doorkeeper = testPlugin('doorkeeper', (api) =>
  api.hooks.beforeStart({ name: 'look', stage: stages.policy, failMode: 'allow' }, () => undefined),
);

describeWith(['chromium'], 'the console: look after what there is', () => {
  let stage: Stage;
  let page: Page;
  let template: number;
  let smart: number;
  before(async () => {
    stage = await openStage({}, { plugins: [doorkeeper] });
    page = stage.page;
    template = (await stage.template('greet.yml', { name: 'Greet' })).id;
    smart = (
      await stage.make('inventories/', { name: 'Clever', organization: 1, kind: 'smart', host_filter: 'name=web1' })
    ).id;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  const tab = (name: string) =>
    page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name, exact: true }).click();
  const settled = () => until(async () => (await page.getByText(/^Loading/).count()) === 0);
  const run = async (): Promise<number> => {
    const { job } = await stage.make(`job_templates/${template}/launch/`, {});
    await until(async () => (await stage.service.get(`jobs/${job}/`)).body.event_processing_finished);
    return job;
  };

  it('begins with what needs somebody, what waits and why, and what failed', async () => {
    const failing = await stage.template('failing.yml', { name: 'Fail' });
    await stage.make(`job_templates/${failing.id}/launch/`, {});
    await until(async () => (await stage.service.get('jobs/?status=failed')).body.count === 1);
    await stage.service.request('PATCH', 'instances/1/', { body: { enabled: false } });
    await stage.make(`job_templates/${template}/launch/`, {});
    const { db } = stage.service.services;
    await db('templates').where({ name: 'Shop' }).update({ status: 'failed' });
    await stage.open('/');
    const waiting = page.getByRole('region', { name: /^Waiting, and why/ });
    await waiting
      .getByRole('row', { name: /Greet/ })
      .getByText(/instance|capacity|node/i)
      .first()
      .waitFor();
    await page
      .getByRole('region', { name: 'Failed since yesterday' })
      .getByRole('link', { name: 'Fail', exact: true })
      .waitFor();
    const needs = page.getByRole('region', { name: /^Needs somebody/ });
    await needs.getByRole('link', { name: 'The project Shop could not be updated' }).waitFor();
    await db('templates').where({ name: 'Shop' }).update({ status: 'ok' });
    await stage.open('/instances');
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Take back to work' }).click();
    await page.getByRole('button', { name: 'Take out of work' }).waitFor();
    await until(async () => (await stage.service.get('jobs/?status=successful')).body.count === 1);
  });

  it('launches several runs again at once', async () => {
    await Promise.all([run(), run()]);
    await stage.open('/jobs?show=successful&name=Greet');
    await page.getByLabel('Select all of this page').check();
    const before = (await stage.service.get('jobs/')).body.count;
    await page.getByRole('button', { name: 'Relaunch 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Relaunch 3 runs?' });
    await dialog.getByRole('button', { name: 'Relaunch 3 runs' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await stage.service.get('jobs/?launch_type=relaunch')).body.count).to.equal(3);
    expect((await stage.service.get('jobs/')).body.count).to.equal(before + 3);
  });

  it('tries the filter of a smart inventory while it is typed', async () => {
    await stage.open(`/inventories/${smart}/edit`);
    const filter = page.getByLabel(/^Host filter/);
    await page.getByText('It takes in 1 host: web1').waitFor();
    await filter.fill('name__icontains=nobody');
    await page.getByText('It takes in no host that you may see.').waitFor();
    await filter.fill('name web1');
    await page.getByText(/^host_filter: at character/).waitFor();
    await filter.fill('name__startswith=web');
    await page.getByText('It takes in 1 host: web1').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await heading('Clever');
    expect((await stage.service.get(`inventories/${smart}/`)).body.host_filter).to.equal('name__startswith=web');
  });

  it('ties what is wrong with a box to the box, and leads there', async () => {
    await stage.open('/hosts/new');
    const box = page.getByRole('checkbox', { name: 'Enabled' });
    await box.waitFor();
    await page.route('**/api/v2/hosts/', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 400, json: { enabled: ['It cannot be on.'] } })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Create host' }).click();
    await page.getByText('It cannot be on.').waitFor();
    const told = await box.evaluate((element) => ({
      invalid: element.getAttribute('aria-invalid'),
      described: (element.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => element.ownerDocument.getElementById(id)?.textContent),
    }));
    expect(told.invalid).to.equal('true');
    expect(told.described.at(-1)).to.equal('It cannot be on.');
    await page.locator('input[type="checkbox"]:focus').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.unroute('**/api/v2/hosts/');
  });

  it('shows groups as a tree, the history of a thing, playbooks, and makes a copy', async () => {
    const inventory = (await stage.make('inventories/', { name: 'Shops', organization: 1 })).id;
    const shops = (await stage.make('groups/', { name: 'shops', inventory })).id;
    const tills = (await stage.make('groups/', { name: 'tills', inventory })).id;
    await stage.service.post(`groups/${shops}/children/`, { id: tills });
    const till1 = (await stage.make('hosts/', { name: 'till1', inventory })).id;
    await stage.service.post(`groups/${tills}/hosts/`, { id: till1 });
    await stage.make('hosts/', { name: 'loose1', inventory });
    await stage.open(`/inventories/${inventory}`);
    await tab('Tree');
    // of no group: as high up as groups are
    const above = (name: string) => page.locator('.tree > li > a:not(.tree .tree a)', { hasText: name });
    const loose = above('loose1');
    await loose.waitFor();
    await page.locator('summary', { hasText: 'shops' }).click();
    await page.locator('summary', { hasText: 'tills' }).click();
    await page.locator('.tree .tree .tree').getByRole('link', { name: 'till1' }).waitFor();
    expect(await above('till1').count()).to.equal(0);
    expect(await violations(page)).to.deep.equal([]);
    await loose.click();
    await heading('loose1');
    await stage.open(`/templates/${template}?tab=activity_stream`);
    await page
      .getByRole('row', { name: /create/i })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByLabel('Name of the copy').fill('Greet again');
    await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
    await heading('Greet again');
    const project = (await stage.service.get('projects/?name=Shop')).body.results[0].id;
    await stage.open(`/projects/${project}?tab=playbooks`);
    await page.getByRole('link', { name: 'New template of greet.yml' }).click();
    await heading('New template');
    expect(await page.getByLabel(/^Playbook/).inputValue()).to.equal('greet.yml');
  });

  it('says where a credential is used', async () => {
    const { id } = (await stage.service.get('credentials/?name=Demo+Credential')).body.results[0];
    await stage.service.post(`job_templates/${template}/credentials/`, { id });
    await stage.open(`/credentials/${id}`);
    await tab('Where used');
    await page
      .getByRole('region', { name: 'Templates', exact: true })
      .getByRole('link', { name: 'Greet', exact: true })
      .waitFor();
    await settled();
    expect(await violations(page)).to.deep.equal([]);
  });

  it('shows a survey as a launch will ask it', async () => {
    await stage.service.post(`job_templates/${template}/survey_spec/`, {
      name: '',
      description: '',
      spec: [
        {
          type: 'multiplechoice',
          question_name: 'Which colour?',
          variable: 'colour',
          choices: 'red\nblue',
          required: true,
          default: 'blue',
        },
      ],
    });
    await stage.open(`/templates/${template}?tab=survey`);
    await page.getByText('As a launch asks them').click();
    expect(await page.getByLabel('Which colour?', { exact: true }).inputValue()).to.equal('blue');
  });

  it('puts a question before another', async () => {
    const spec = `job_templates/${template}/survey_spec/`;
    const { body } = await stage.service.get(spec);
    const size = { ...body.spec[0], question_name: 'Which size?', variable: 'size' };
    await stage.service.post(spec, { ...body, spec: [...body.spec, size] });
    await stage.open(`/templates/${template}?tab=survey`);
    const asked = () => page.locator('.questions strong').allTextContents();
    await page.getByRole('button', { name: 'Move Which size? up' }).click();
    await until(async () => (await asked()).join() === 'Which size?,Which colour?');
    const stored = (await stage.service.get(spec)).body.spec;
    expect(stored.map(({ variable }: { variable: string }) => variable)).to.deep.equal(['size', 'colour']);
    // the first one has nothing to go before
    expect(await page.getByRole('button', { name: /^Move/ }).count()).to.equal(1);
    await stage.service.post(spec, body);
    await stage.open(`/templates/${template}?tab=survey`);
  });

  it('removes a question only once the survey is stored, and puts it back until then', async () => {
    const spec = `job_templates/${template}/survey_spec/`;
    const asked = async () => (await stage.service.get(spec)).body.spec?.length ?? 0;
    await page.getByRole('button', { name: 'Remove Which colour?' }).click();
    expect(await asked()).to.equal(1);
    await page.getByRole('link', { name: 'Hosts' }).first().click();
    const leave = page.getByRole('dialog');
    await leave.waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Put back Which colour?' }).click();
    await page.getByRole('button', { name: 'Remove Which colour?' }).click();
    await page.getByRole('button', { name: 'Store without 1 question' }).click();
    await page.getByText('The survey has no question.').waitFor();
    expect(await asked()).to.equal(0);
  });

  it('shows a token once, which then is good for what it was made for', async () => {
    await stage.open('/tokens/new');
    await page.getByLabel(/^Description/).fill('For the till');
    await page.getByLabel(/^Scope/).fill('read');
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Token' });
    const token = (await dialog.locator('pre').textContent())!.trim();
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${stage.service.url}/api/v2/me/`, { headers })).status).to.equal(200);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await heading('For the till');
    expect(await page.content()).to.not.include(token);
  });

  it('tells how loaded a node is while it carries a run, and looks whether it is well', async () => {
    const { id } = await stage.template('held.yml', {
      name: 'Hold',
      extra_vars: JSON.stringify({ release: stage.release }),
    });
    rmSync(stage.release, { force: true });
    const { job } = await stage.make(`job_templates/${id}/launch/`, {});
    await until(async () => (await stage.service.get(`jobs/${job}/`)).body.status === 'running');
    const [node] = (await stage.service.get('instances/')).body.results;
    expect(node.consumed_capacity).to.be.greaterThan(0);
    await stage.open('/instances');
    const percent = Math.round((node.consumed_capacity / node.capacity) * 100);
    const row = page.getByRole('row', { name: new RegExp(node.hostname) });
    await row.getByText(`${percent} % of ${node.capacity}`, { exact: true }).waitFor();
    expect(Number(await row.locator('.bar rect').getAttribute('width'))).to.equal(percent);
    writeFileSync(stage.release, '');

    const before = new Date();
    await row.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('button', { name: /^Check its health/ }).click();
    await page.getByText('The check is asked for.').waitFor();
    const at = (await stage.service.get(`instances/${node.id}/`)).body.last_health_check;
    expect(new Date(at)).to.be.greaterThan(before);
  });

  it('tells the state of the system, what plugins bring and did, and launches a system job', async () => {
    await stage.open('/system');
    await page.getByRole('row', { name: /database reached/ }).waitFor();
    await stage.open('/hooks?plugin=doorkeeper');
    await page
      .getByRole('table', { name: 'Taps of beforeStart in their order' })
      .getByText('doorkeeper : look')
      .waitFor();
    await page.getByRole('table', { name: 'What plugins did' }).getByText('doorkeeper : look').first().waitFor();
    await stage.open('/plugins');
    await page.getByText('What it brings: doorkeeper').click();
    await page.getByText('beforeStart', { exact: false }).first().waitFor();
    await stage.open('/system_job_templates');
    await page.getByRole('button', { name: 'Launch Cleanup Activity Stream' }).click();
    await page.getByLabel(/^Days/).fill('30');
    await page.getByRole('dialog').getByRole('button', { name: 'Launch' }).click();
    await page.waitForURL(/\/system_jobs\/\d+$/);
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
  });

  it('finds a setting among all, with its value and origin, and leads to it', async () => {
    await stage.open('/settings');
    await page.getByRole('searchbox').fill('maximum forks');
    await page.getByRole('searchbox').fill('max_forks');
    await page.getByRole('button', { name: 'Search' }).click();
    const row = page.getByRole('row', { name: /Max forks/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).to.deep.equal(['Jobs', '200', 'default']);
    expect(await violations(page)).to.deep.equal([]);
    await row.getByRole('link').click();
    await heading('Settings: Jobs');
    await until(async () => (await page.evaluate('document.activeElement.name')) === 'MAX_FORKS');
  });

  it('has a page for every link of the recommendations that is no plugin’s, guides included', async () => {
    await stage.make('organizations/', { name: 'Second' });
    const files = globSync('plugins/*/{index,pages}.ts', { cwd: root }).filter((file) => !file.includes('/console/'));
    const ofPlugins = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\bpath: '(\/[\w-]+)'/g)].map(([, path]) => path!),
    );
    const links = [...new Set(catalogue.map(({ action_link }) => action_link))];
    const nowhere: string[] = [];
    for (const path of links.filter((link) => !ofPlugins.includes(link))) {
      await stage.open(path);
      if (await page.getByText('No page here').count()) nowhere.push(path);
    }
    // these come with plugins that are still to come; where a plugin is not on there is no link to its page
    expect(nowhere).to.have.members(['/tenants', '/catalog']);
    const { body } = await stage.service.get('recommendations/');
    const told: string[] = body.results.map(({ action_link }: { action_link: string }) => action_link);
    expect(told).to.include.members(['/catalog', '/drift', '/templates']);
    await stage.open('/recommendations');
    const cards = page.getByRole('main').getByRole('listitem');
    await cards.first().waitFor();
    const shown = await cards.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(shown).to.deep.equal(told.filter((link) => !nowhere.includes(link) && !ofPlugins.includes(link)));
    expect(await cards.getByText('Its page comes with a plugin that is not on.').count()).to.equal(
      told.length - shown.length,
    );
    const guides = { compliance: 5, tenancy: 4, observability: 4 };
    for (const [name, steps] of Object.entries(guides)) {
      await stage.open(`/wizards/${name}`);
      await page.locator('.step').first().waitFor();
      expect(await page.locator('.step').count(), name).to.equal(steps);
      expect(await violations(page), name).to.deep.equal([]);
    }
    await stage.open('/wizards/tenancy');
    const first = page.locator('.step', { hasText: 'Make an organization for each of them' });
    await first.getByText('Done').waitFor();
  });

  it('numbers the lines of variables and says what is wrong with them while they are typed', async () => {
    await stage.open(`/templates/${template}/edit`);
    const variables = page.getByLabel(/^Extra vars/);
    await variables.fill('colour: green\nsize: [1, 2\n');
    await page.getByText(/^Line [23]: /).waitFor();
    expect(await page.locator('.code-numbers').first().textContent()).to.match(/^1\n2\n3/);
    await variables.fill('- just\n- a list');
    await page.getByText('Variables are names with values').waitFor();
    await variables.fill('colour: green');
    await page.getByText('Variables are names with values').waitFor({ state: 'detached' });
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await heading('Greet');
  });

  it('shows any name as text, however long and in whatever script, on a narrow screen too', async () => {
    const canary = '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script>';
    const names = [canary, 'א'.repeat(60), '👩‍🚀🚒 مرحبا بالعالم', 'x'.repeat(500)];
    for (const name of names) {
      const { id } = await stage.make('organizations/', { name, description: canary });
      await stage.make('inventories/', { name, description: canary, organization: id });
      await stage.make('teams/', { name, description: canary, organization: id });
    }
    const narrow = await stage.fresh({ viewport: { width: 360, height: 740 } });
    await stage.logIn(narrow);
    const id = (await stage.service.get(`organizations/?name=${names[3]}`)).body.results[0].id;
    for (const path of [
      '/organizations',
      '/inventories',
      '/teams',
      `/organizations/${id}`,
      '/activity',
      '/audit?order_by=-id',
    ]) {
      await narrow.goto(path);
      await narrow.getByRole('heading', { level: 1 }).waitFor();
      await until(async () => (await narrow.getByText(/^Loading/).count()) === 0);
      expect(await narrow.title(), path).to.not.include('hacked');
      expect(await narrow.locator('html').evaluate((element) => element.scrollWidth), path).to.be.at.most(360);
    }
    await narrow.keyboard.press('Control+k');
    await narrow.getByRole('dialog').getByRole('combobox').fill('onerror');
    await narrow.getByRole('dialog').getByRole('option').first().waitFor();
    expect(await narrow.title()).to.not.include('hacked');
    await narrow.context().close();
  });

  it('says the time here and in UTC on hover, and the time here in sight where one thing is shown', async () => {
    await stage.open('/jobs');
    const time = page.locator('time').first();
    const [at, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')];
    expect(title).to.include(`${at!.slice(0, 19).replace('T', ' ')} UTC`);
    for (const path of [
      '/hosts/1',
      new URL((await page.getByRole('rowheader').getByRole('link').first().getAttribute('href'))!, stage.service.url)
        .pathname,
    ]) {
      await stage.open(path);
      const shown = page.locator('dd time').first();
      await shown.waitFor();
      const here = await page.evaluate(
        (when) => new Date(when).toLocaleString(),
        (await shown.getAttribute('datetime'))!,
      );
      expect(await shown.textContent())
        .to.match(/ago|now/)
        .and.include(here);
    }
  });
});
