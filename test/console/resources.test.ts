import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, pick, type Stage } from './stage.ts';

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const submit = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor();

describeWith(['chromium'], 'the console: resources', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const make = async (path: string, fill: () => Promise<void>, one: string) => {
    await stage.open(path);
    await fill();
    await submit(page, `Create ${one}`);
  };

  it('takes a person from an organization to a launch that asks a survey, with each error at its field', async () => {
    await stage.open('/organizations');
    await page.getByRole('link', { name: 'New organization' }).click();
    await submit(page, 'Create organization');
    await page.locator('.field.invalid', { has: field(page, 'Name') }).waitFor();
    await field(page, 'Name').fill('Shop floor');
    await submit(page, 'Create organization');
    await heading(page, 'Shop floor');

    await page.getByRole('link', { name: 'Teams', exact: true }).last().click();
    await page.getByRole('link', { name: 'Add team' }).click();
    await field(page, 'Name').fill('Keepers');
    expect(await page.getByRole('combobox', { name: /^Organization/ }).inputValue()).to.not.equal('');
    await submit(page, 'Create team');
    await heading(page, 'Keepers');
    await page.locator('.record').getByRole('link', { name: 'Shop floor' }).waitFor();

    const named = (name: string) => async () => {
      await field(page, 'Name').fill(name);
      await pick(page, 'Organization', 'Shop floor');
    };
    await make('/inventories/new', named('Tills'), 'inventory');
    await heading(page, 'Tills');
    await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Hosts' }).click();
    await page.getByRole('link', { name: 'Add host' }).click();
    await field(page, 'Name').fill('till1');
    await page
      .getByLabel(/^Variables/)
      .fill('ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"');
    await submit(page, 'Create host');
    await heading(page, 'till1');

    await make(
      '/credentials/new',
      async () => {
        await named('Till key')();
        await pick(page, 'Credential type', 'Machine');
        await page.getByLabel(/^Username/).fill('keeper');
        await page.getByLabel(/^Password/).fill('hush');
      },
      'credential',
    );
    await heading(page, 'Till key');
    await page.getByText('$encrypted$').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('A value is stored').first().waitFor();
    await page.getByLabel(/^Username/).fill('chief');
    await submit(page, 'Save');
    await heading(page, 'Till key');
    const { body } = await stage.service.get('credentials/?name=Till key');
    expect(body.results[0].inputs).to.deep.equal({ username: 'chief', password: '$encrypted$' });

    await make(
      '/templates/new',
      async () => {
        await field(page, 'Name').fill('Greet the tills');
        await pick(page, 'Inventory', 'Tills');
        await pick(page, 'Project', 'Shop');
        await page.getByLabel(/^Playbook/).fill('greet.yml');
      },
      'template',
    );
    await heading(page, 'Greet the tills');
    await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Credentials' }).click();
    await pick(page, 'credential to add', 'Till key');
    await submit(page, 'Add credential');
    await page.getByRole('button', { name: 'Take off Till key' }).waitFor();

    await page.getByRole('link', { name: 'Survey', exact: true }).click();
    await page.getByRole('button', { name: 'Add question' }).click();
    await field(page, 'Question').fill('Whom to greet?');
    await submit(page, 'Store question');
    await page.getByRole('alert').filter({ hasText: 'variable is blank' }).waitFor();
    await field(page, 'Variable').fill('who');
    await submit(page, 'Store question');
    await page.getByRole('button', { name: 'Edit Whom to greet?' }).waitFor();
    await page.getByLabel('Ask these questions at each launch').click();
    await until(async () => (await stage.service.get('job_templates/?survey_enabled=true')).body.count === 1);

    await page.getByRole('link', { name: 'Launch Greet the tills' }).click();
    await field(page, 'Whom to greet?').fill('keepers');
    await submit(page, 'Launch');
    await page.waitForURL(/\/jobs\/\d+$/);
    await page.getByText('hello keepers').waitFor();
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
  });

  it('keeps search, filters, order and page of a list in the address', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `rack${String(i).padStart(2, '0')}`);
    await Promise.all(names.map((name) => stage.make('hosts/', { name, inventory: stage.inventory })));
    await stage.open('/hosts');
    await page.getByRole('searchbox').fill('rack');
    await submit(page, 'Search');
    await page.getByText('30 hosts').waitFor();
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click();
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort="descending"]')).waitFor();
    await page.getByRole('rowheader').first().getByText('rack29').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await page.reload();
    await page.getByRole('rowheader').last().getByText('rack00').waitFor();

    await page.getByLabel('Filter by').selectOption({ label: 'Name' });
    await field(page, 'Value of Name').fill('rack1');
    await submit(page, 'Add filter');
    await page.getByText('10 hosts').waitFor();
    expect(new URL(page.url()).searchParams.get('name__icontains')).to.equal('rack1');
    await page.goBack();
    await page.getByText('Page 2 of 2').waitFor();
    await page.goForward();
    await page.getByText('10 hosts').waitFor();
    await page.getByRole('link', { name: 'Remove filter Name contains rack1' }).click();
    await page.getByText('30 hosts').waitFor();
    await stage.open('/hosts?nosuch=1');
    await page.getByRole('alert').waitFor();
  });

  it('finds records of long lists by typing and page by page, and calls those of filters by their names', async () => {
    const { db } = stage.service.services;
    const { organization_id } = await db('inventories').where({ id: stage.inventory }).first();
    const names = Array.from({ length: 230 }, (_, i) => `Depot ${String(i).padStart(3, '0')}`);
    await db('inventories').insert(names.map((name) => ({ name, organization_id })));
    const ids = Object.fromEntries(
      (await db('inventories').whereIn('name', names)).map(({ id, name }: { id: number; name: string }) => [name, id]),
    );
    const machine = await db('credential_types').where({ namespace: 'ssh' }).first('id');
    const key = { organization: organization_id, credential_type: machine.id };
    const keys = Array.from({ length: 60 }, (_, i) => `Key ${i}`);
    await Promise.all(keys.map((name) => stage.make('credentials/', { name, ...key })));
    const { id } = await stage.template('greet.yml', {
      name: 'Anywhere',
      ask_inventory_on_launch: true,
      ask_credential_on_launch: true,
    });
    await stage.open(`/templates/${id}/launch`);
    const box = page.getByRole('combobox', { name: /^Inventory/ });
    await until(async () => (await box.inputValue()) === 'Production');
    await pick(page, 'Inventory', 'Depot 229');
    const added = page.getByRole('combobox', { name: 'Add to credentials' });
    await added.fill('Key 59');
    await page.getByRole('option', { name: 'Key 59' }).click();
    await page.getByRole('button', { name: 'Take off Key 59' }).waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'POST' && /launch/.test(request.url()));
    await submit(page, 'Launch');
    expect((await sent).postDataJSON()).to.have.property('inventory', ids['Depot 229']);
    expect((await sent).postDataJSON().credentials).to.have.length(1);
    await page.waitForURL(/\/jobs\/\d+$/);

    await stage.open(`/hosts?inventory=${ids['Depot 003']}`);
    const chips = page.getByRole('list', { name: 'Filters' });
    await chips.getByText('Inventory: Depot 003').waitFor();
    await stage.open(`/hosts?inventory__in=${ids['Depot 003']},${stage.inventory}`);
    await chips.getByText('Inventory one of Depot 003, Production').waitFor();
    await page.getByLabel('Filter by').selectOption({ label: 'Inventory' });
    const value = page.getByRole('combobox', { name: 'Value of Inventory' });
    await value.fill('Depot');
    const options = page.getByRole('listbox').getByRole('option');
    await options.getByText('Depot 019').waitFor();
    await value.press('ArrowUp');
    await value.press('Enter');
    await options.getByText('Depot 039').waitFor();
    expect(await options.first().textContent()).to.include('Depot 000');
    expect(await violations(page)).to.deep.equal([]);
  });

  it('names what goes with a record before it is deleted, and runs no markup of its name', async () => {
    const canary = '<img src=x onerror="document.title=`executed`"><script>document.title="executed"</script>';
    const organization = (await stage.make('organizations/', { name: canary, description: canary })).id;
    await stage.make('teams/', { name: 'Short-lived', organization });
    await stage.make('applications/', {
      name: 'Short-lived',
      organization,
      client_type: 'public',
      authorization_grant_type: 'password',
    });
    const unwell = { status: 503, json: { detail: 'The database is away.' } };
    await page.route('**/api/v2/labels/**', (route) => route.fulfill(unwell));
    for (const path of ['/organizations', `/organizations/${organization}/edit`, '/activity'])
      await stage.open(path).then(() => until(async () => (await page.getByText(/^Loading/).count()) === 0));
    await stage.open(`/organizations/${organization}`);
    await heading(page, canary);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 teams').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).to.deep.equal([
      '1 teams',
      '1 applications',
      'labels: how many is not known (The database is away.)',
    ]);
    await page.unroute('**/api/v2/labels/**');
    expect(stage.problems().filter((problem) => !problem.includes('status of 503'))).to.deep.equal([]);
    expect(await page.title()).to.contain(canary.slice(0, 20));
    expect(await page.locator('main img, dialog img').count()).to.equal(0);
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('button', { name: 'Delete organization' }).click();
    await page.waitForURL(/\/organizations$/);
    expect((await stage.service.get(`organizations/${organization}/`)).status).to.equal(404);
  });

  it('says who has access and why, gives a role and takes it; who only reads can change nothing', async () => {
    const { id } = await stage.make('users/', { username: 'reader', password: 'long enough 1' });
    await stage.open(`/inventories/${stage.inventory}?tab=access`);
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
    await row('admin').getByText('System Administrator').waitFor();
    const give = async (role: string) => {
      await page.getByRole('button', { name: 'Give a role' }).click();
      await pick(page, 'User', 'reader');
      await field(page, 'Role').selectOption(role);
      await submit(page, 'Give role');
    };
    await give('Read');
    await row('reader').getByText('Read', { exact: true }).waitFor();

    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.goto(`/inventories/${stage.inventory}`);
    await heading(reader, 'Production');
    await reader.locator('.record').waitFor();
    for (const name of ['Edit', 'Delete', 'Update all sources'])
      expect(await reader.getByText(name, { exact: true }).count(), name).to.equal(0);
    await reader.goto(`/inventories/${stage.inventory}?tab=hosts`);
    await reader.getByText(/^\d+ hosts$/).waitFor();
    expect(await reader.getByRole('link', { name: 'Add host' }).count()).to.equal(0);
    await reader.goto(`/inventories/${stage.inventory}?tab=access`);
    await reader.getByRole('rowheader', { name: 'reader' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Give a role' }).count()).to.equal(0);
    await reader.goto(`/inventories/${stage.inventory}/edit`);
    await reader.getByText('You may not change this inventory.').waitFor();
    await reader.goto('/organizations/new');
    await reader.getByText('You may not create any organization.').waitFor();
    await reader.context().close();

    await page.getByRole('button', { name: 'Take Read from reader' }).click();
    await until(async () => (await stage.service.get(`users/${id}/roles/`)).body.count === 0);
    await row('reader').waitFor({ state: 'detached' });
  });

  it('changes a setting, and shows activity and audit with filters and the export', async () => {
    await stage.open('/settings/jobs');
    await page.getByLabel('Ansible fact cache timeout').fill('-1');
    await submit(page, 'Save');
    await page.locator('.field.invalid', { has: page.getByLabel('Ansible fact cache timeout') }).waitFor();
    await page.getByLabel('Ansible fact cache timeout').fill('60');
    await submit(page, 'Save');
    await until(async () => (await stage.service.get('settings/jobs/')).body.ANSIBLE_FACT_CACHE_TIMEOUT === 60);
    await page.getByLabel('Default job timeout').fill('77');
    const back = page.getByRole('button', { name: 'Back to its default Ansible fact cache timeout' });
    await back.click();
    await until(async () => (await stage.service.get('settings/jobs/')).body.ANSIBLE_FACT_CACHE_TIMEOUT === 0);
    await back.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Ansible fact cache timeout').inputValue()).to.equal('0');
    expect(await page.getByLabel('Default job timeout').inputValue()).to.equal('77');
    await page.getByRole('button', { name: 'Undo: ANSIBLE_FACT_CACHE_TIMEOUT is back to its default.' }).click();
    await back.waitFor();
    expect(await page.getByLabel('Ansible fact cache timeout').inputValue()).to.equal('60');
    await stage.open('/settings/changed');
    await back.click();
    await page.getByText('There is none.').waitFor();
    await stage.open('/activity?operation=create');
    await page.getByRole('list', { name: 'Filters' }).getByText('Entity Created').waitFor();
    await page.getByRole('rowheader').first().waitFor();
    const exported = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    expect((await exported).suggestedFilename()).to.equal('activity_stream.csv');
    const operations = readFileSync(await (await exported).path(), 'utf8').match(/(?<=Z,)[a-z]+(?=,)/g);
    expect(new Set(operations)).to.deep.equal(new Set(['create']));
    for (const list of ['activity', 'audit']) {
      await stage.open(`/${list}`);
      const offered = page.getByLabel('Filter by').locator('option');
      await until(async () => (await offered.count()) > 5);
      const api = list === 'audit' ? 'audit_events/' : 'activity_stream/';
      for (const value of (await offered.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).slice(1))
        expect((await stage.service.get(`${api}?${value}__isnull=false`)).status, `${list}: ${value}`).to.equal(200);
    }
    await page.getByLabel('Filter by').selectOption({ label: 'Action' });
    await field(page, 'Value of Action').fill('log');
    await submit(page, 'Add filter');
    await page.getByRole('list', { name: 'Filters' }).getByText('Action contains log').waitFor();
    await page.getByRole('rowheader', { name: 'login' }).first().waitFor();
    await stage.open('/audit?action=login');
    await page.getByRole('rowheader', { name: 'login' }).first().click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    expect((await download).suggestedFilename()).to.equal('audit_events.csv');
  });

  it('asks OPTIONS once for a list; where that fails, says so and tries again, with the form as with the list', async () => {
    const { id } = await stage.template('greet.yml', { name: 'Unwell' });
    const host = (await stage.service.get('hosts/?page_size=1')).body.results[0].id;
    const opened = {
      '/hosts': () =>
        page.getByLabel('Filter by').locator('option', { hasText: 'Name' }).waitFor({ state: 'attached' }),
      '/hosts/new': () => field(page, 'Name').waitFor(),
      [`/hosts/${host}`]: () => page.locator('.record').waitFor(),
      [`/hosts/${host}/edit`]: () => field(page, 'Name').waitFor(),
      [`/inventories/${stage.inventory}?tab=hosts`]: () => page.getByRole('link', { name: 'Add host' }).waitFor(),
      '/settings/jobs': () => page.getByLabel('Ansible fact cache timeout').waitFor(),
      [`/templates/${id}/launch`]: () => page.getByText('It asks for nothing').waitFor(),
    };
    let well = false;
    const asked: string[] = [];
    await page.route('**/api/v2/**', (route) => {
      if (route.request().method() !== 'OPTIONS') return route.fallback();
      asked.push(new URL(route.request().url()).pathname);
      return well ? route.fallback() : route.fulfill({ status: 503, json: { detail: 'The database is away.' } });
    });
    for (const [path, ready] of Object.entries(opened)) {
      well = false;
      await stage.open(path);
      const alert = page.getByRole('alert').filter({ hasText: 'The database is away.' });
      await alert.waitFor();
      expect(await alert.count(), path).to.equal(1);
      await until(async () => (await page.getByText(/^Loading/).count()) === 0, 30_000, `${path} waits for nothing`);
      asked.length = 0;
      well = true;
      await alert.getByRole('button', { name: 'Try again' }).click();
      await ready();
      await alert.waitFor({ state: 'detached' });
      expect(asked, path).to.have.length(1);
    }
    await page.unroute('**/api/v2/**');
    expect(stage.problems().filter((problem) => !problem.includes('status of 503'))).to.deep.equal([]);
  });
});
