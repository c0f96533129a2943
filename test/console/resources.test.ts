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
    await until(
      async () => (await page.getByRole('combobox', { name: /^Organization/ }).inputValue()) === 'Shop floor',
    );
    await submit(page, 'Create team');
    await heading(page, 'Keepers');
    await page.locator('.record').getByRole('link', { name: 'Shop floor' }).waitFor();

    const named = (name: string) => async () => {
      await field(page, 'Name').fill(name);
      await pick(page, 'Organization', 'Shop floor');
    };
    // there are two by now: none is chosen for anybody
    const asked = page.waitForResponse(/\/organizations\/\?page_size=2$/);
    await stage.open('/inventories/new');
    await (await asked).finished();
    // what follows from an answer is done after the next frame
    await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
    expect(await page.getByRole('combobox', { name: /^Organization/ }).inputValue()).to.equal('');
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

    const job = new URL(page.url()).pathname;
    const [host] = (await stage.service.get('hosts/?name=till1')).body.results;
    await until(async () => (await stage.service.get(`hosts/${host.id}/job_host_summaries/`)).body.count === 1);
    await stage.open(`/hosts/${host.id}?tab=job_host_summaries`);
    await page.getByRole('rowheader', { name: 'Greet the tills' }).getByRole('link').click();
    await page.waitForURL(`**${job}?tab=hosts&host=till1`);
    const { project } = (await stage.service.get('job_templates/?name=Greet the tills')).body.results[0];
    const environment = await stage.make('execution_environments/', {
      name: 'Plain',
      image: 'registry.example.com/plain',
    });
    for (const [path, names] of [
      [`/inventories/${host.inventory}`, ['Greet the tills']],
      [`/projects/${project}`, ['Greet the tills']],
      [`/execution_environments/${environment.id}`, []],
    ] as const) {
      await stage.open(`${path}?tab=used`);
      const used = page.getByRole('region', { name: 'Where used' });
      await used.getByRole('heading', { name: /\d$/ }).first().waitFor();
      await until(async () => (await page.getByText(/^Loading/).count()) === 0);
      expect(await used.getByRole('link').allTextContents(), path).to.deep.equal(names);
      expect(await page.getByRole('alert').count(), path).to.equal(0);
    }
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

  it('shows the tokens of a person and of a program, and what was changed of a record', async () => {
    const { service, make } = stage;
    const kind = { client_type: 'public', authorization_grant_type: 'password' };
    const till = await make('applications/', { name: 'Till', organization: 1, ...kind });
    await make('tokens/', { description: 'Of the till', scope: 'read', application: till.id });
    await make('tokens/', { description: 'Of no program', scope: 'write', application: null });
    const { id } = await make('teams/', { name: 'Before', organization: 1 });
    await service.request('PATCH', `teams/${id}/`, { body: { name: 'After' } });
    const me = (await service.get('me/')).body.results[0].id;
    const line = (name: string) => page.getByRole('rowheader', { name, exact: true });
    const part = async (path: string, name: string) => {
      await stage.open(path);
      await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name, exact: true }).click();
    };
    await part(`/users/${me}`, 'Tokens');
    await line('Of the till').waitFor();
    await line('Of no program').waitFor();
    await part(`/applications/${till.id}`, 'Tokens');
    await line('Of the till').waitFor();
    expect(await line('Of no program').count()).to.equal(0);
    await part(`/teams/${id}`, 'History');
    const rows = page.getByRole('region', { name: 'History' }).getByRole('row');
    await until(async () => (await rows.count()) === 3, 30_000, 'that it was made and changed, below the heads');
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('labels what there is, and puts input inventories in their order', async () => {
    const { service, make, inventory } = stage;
    const labels = async () => {
      const { body } = await service.get(`inventories/${inventory}/labels/`);
      return body.results.map(({ name }: { name: string }) => name);
    };
    await stage.open(`/inventories/${inventory}?tab=labels`);
    await page.getByText('It has no label yet.').waitFor();
    await submit(page, 'Add label');
    await page.locator('.field.invalid', { has: field(page, 'Label') }).waitFor();
    await field(page, 'Label').fill('north');
    await submit(page, 'Add label');
    await button('Take off north').click();
    await page.getByText('It has no label yet.').waitFor();
    await page.getByRole('button', { name: 'Undo: north is taken off.' }).click();
    await until(async () => (await labels()).length === 1);
    expect(await labels()).to.deep.equal(['north']);

    const made = await make('constructed_inventories/', { name: 'Both', organization: 1 });
    const other = await make('inventories/', { name: 'Reserve', organization: 1 });
    await stage.open(`/inventories/${made.id}?tab=input_inventories`);
    for (const name of ['Production', 'Reserve']) {
      await pick(page, 'inventory to add', name);
      await submit(page, 'Add inventory');
      await button(`Take off ${name}`).waitFor();
    }
    await button('Move up Reserve').click();
    await until(async () => (await page.getByRole('rowheader').allTextContents())[0]?.startsWith('Reserve') ?? false);
    const order = async () => {
      const { results } = (await service.get(`inventories/${made.id}/input_inventories/`)).body;
      return results.map(({ id }: { id: number }) => id);
    };
    expect(await order()).to.deep.equal([other.id, inventory]);
    await page.getByRole('button', { name: 'Undo: Reserve is moved up.' }).click();
    await page.getByText('The order is as before.').waitFor();
    expect(await order()).to.deep.equal([inventory, other.id]);
    await stage.open(`/inventories/${inventory}`);
    await page.locator('.record').waitFor();
    expect(await page.getByRole('link', { name: 'Input inventories' }).count()).to.equal(0);
  });

  it('has an input of a credential looked up elsewhere, and says where collections come from', async () => {
    const { service, make } = stage;
    const credential = async (name: string, namespace: string, inputs: object) => {
      const [type] = (await service.get(`credential_types/?namespace=${namespace}`)).body.results;
      return make('credentials/', { name, organization: 1, credential_type: type.id, inputs });
    };
    const target = await credential('Till login', 'ssh', { username: 'till' });
    const vault = await credential('Vault', 'hashivault_kv', {
      url: 'http://127.0.0.1:9',
      token: 'x',
      api_version: 'v2',
    });
    await credential('Hub', 'galaxy_api_token', { url: 'http://127.0.0.1:9/' });
    await stage.open(`/credentials/${target.id}?tab=input_sources`);
    await page.getByRole('link', { name: 'Add lookup' }).click();
    await page.getByLabel('Input', { exact: true }).selectOption({ label: 'Password' });
    await pick(page, 'Source credential', 'Vault');
    await page.getByLabel(/^Path to Secret/i).fill('/shop/till');
    await submit(page, 'Create lookup');
    await page.locator('.field.invalid', { has: page.getByLabel(/^Key Name/i) }).waitFor();
    await page.getByLabel(/^Key Name/i).fill('password');
    await submit(page, 'Create lookup');
    await heading(page, 'password');
    const { results } = (await service.get(`credentials/${target.id}/input_sources/`)).body;
    expect(results[0]).to.include({ input_field_name: 'password', source_credential: vault.id });
    expect(results[0].metadata).to.include({ secret_path: '/shop/till', secret_key: 'password' });

    await stage.open('/organizations/1?tab=galaxy_credentials');
    await page.getByRole('combobox', { name: 'credential to add' }).fill('Vault');
    await page.getByText('Nothing fits.').waitFor();
    await pick(page, 'credential to add', 'Hub');
    await submit(page, 'Add credential');
    await button('Take off Hub').waitFor();
  });

  it('shows what a schedule brings beside what its template says, and lets it bring more', async () => {
    const { service, make } = stage;
    const asking = {
      ask_limit_on_launch: true,
      ask_credential_on_launch: true,
      ask_labels_on_launch: true,
      ask_variables_on_launch: true,
    };
    const { id } = await stage.template('greet.yml', { name: 'Asks', limit: 'all', ...asking });
    const rrule = 'DTSTART:20300101T030000Z RRULE:FREQ=DAILY;INTERVAL=1';
    const nightly = await make(`job_templates/${id}/schedules/`, {
      name: 'Nightly',
      limit: 'web1',
      extra_data: { who: 'all' },
      rrule,
    });
    await stage.open(`/schedules/${nightly.id}?tab=prompts`);
    const limit = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Limit' }) });
    await limit.waitFor();
    expect(await limit.getByRole('cell').allTextContents()).to.deep.equal(['web1', 'all']);
    await page.getByText('"who": "all"').waitFor();
    const turn = (name: string) =>
      page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name, exact: true }).click();
    await turn('Credentials');
    await pick(page, 'credential to add', 'Till login');
    await submit(page, 'Add credential');
    await button('Take off Till login').waitFor();
    await turn('Labels');
    await pick(page, 'Organization', 'Default');
    await field(page, 'Label').fill('nightly');
    await submit(page, 'Add label');
    await button('Take off nightly').waitFor();
    for (const [list, name] of [
      ['credentials', 'Till login'],
      ['labels', 'nightly'],
    ])
      expect((await service.get(`schedules/${nightly.id}/${list}/`)).body.results[0].name).to.equal(name);
  });

  it('gives roles to a user and to a team from their pages, and takes them', async () => {
    const { service, make, inventory } = stage;
    const team = await make('teams/', { name: 'Night shift', organization: 1 });
    const user = await make('users/', { username: 'nightly', password: 'long enough 1' });
    for (const [path, who] of [
      [`users/${user.id}`, 'nightly'],
      [`teams/${team.id}`, 'Night shift'],
    ]) {
      const held = async () => {
        const { results } = (await service.get(`${path}/roles/`)).body;
        return results.map((role: any) => `${role.name} ${role.summary_fields.resource_id}`);
      };
      const before = await held();
      await stage.open(`/${path}?tab=roles`);
      await button('Give a role').click();
      await submit(page, 'Give role');
      await page.getByText('Choose a role.').waitFor();
      await field(page, 'On what').selectOption('inventory');
      await pick(page, 'Which one', 'Production');
      await field(page, 'Role').selectOption('Use');
      await submit(page, 'Give role');
      const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Use' }) });
      await row.getByRole('link', { name: 'Production' }).waitFor();
      expect(await held()).to.deep.equal([...before, `Use ${inventory}`]);
      await button('Take Use on Production').click();
      await row.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: `Undo: Use on Production is taken from ${who}.` }).click();
      await row.waitFor();
    }
    const other = await stage.fresh();
    await stage.logIn(other, 'nightly', 'long enough 1');
    await other.goto(`/users/${user.id}?tab=roles`);
    await other.getByRole('rowheader', { name: 'Use' }).waitFor();
    expect(await other.getByRole('button', { name: /^(?:Give|Take)/ }).count()).to.equal(0);
    await other.context().close();
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
    const timeout = page.getByLabel('Ansible fact cache timeout');
    await until(async () => (await timeout.inputValue()) === '0', 30_000, 'the default is shown');
    expect(await page.getByLabel('Default job timeout').inputValue()).to.equal('77');
    await page.getByRole('button', { name: 'Undo: ANSIBLE_FACT_CACHE_TIMEOUT is back to its default.' }).click();
    await back.waitFor();
    await until(async () => (await timeout.inputValue()) === '60', 30_000, 'what was changed is shown again');
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
    const page = await stage.fresh();
    await page.routeWebSocket('**/websocket/', (connection) =>
      connection.onMessage(() => connection.send(JSON.stringify({ groups_current: [] }))),
    );
    await stage.logIn(page);
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
      await page.goto(path);
      const alert = page.getByRole('alert').filter({ hasText: 'The database is away.' });
      await alert.waitFor();
      expect(await alert.count(), path).to.equal(1);
      await until(async () => (await page.getByText(/^Loading/).count()) === 0, 30_000, `${path} waits for nothing`);
      // a page that becomes connected reads everything again, without a click
      await page.locator('.connection.open').waitFor();
      await page.waitForLoadState('networkidle');
      asked.length = 0;
      well = true;
      await alert.getByRole('button', { name: 'Try again' }).click();
      await ready();
      await alert.waitFor({ state: 'detached' });
      expect(asked, path).to.have.length(1);
    }
    await page.context().close();
    expect(stage.problems().filter((problem) => !problem.includes('status of 503'))).to.deep.equal([]);
  });
});
