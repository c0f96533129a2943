import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import policy from '../index.ts';
import { type Opa, startOpa } from './opa.ts';

describeWith(['chromium', 'opa'], 'policies in the console', function () {
  this.timeout(300_000);
  let stage: Stage;
  let page: Page;
  let opa: Opa;

  before(async () => {
    opa = await startOpa();
    const env = {
      TAPLINE_PLUGINS: 'console',
      TAPLINE_POLICY_ENGINE_ENABLED: 'true',
      TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url,
      TAPLINE_POLICY_CONTEXTS_KEPT_DAYS: '7',
    };
    stage = await openStage(env, { plugins: [policy] });
    page = stage.page;
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    await opa?.stop();
  });

  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };

  it('are made, with what the engine says of a mistake', async () => {
    await stage.open('/policies');
    await page.getByRole('link', { name: 'New policy' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Night');
    await page.getByLabel('Enforcement').selectOption('enforce');
    await page.getByLabel('Module', { exact: true }).fill('package night\n\ndeny contains if {\n');
    await page.getByRole('button', { name: 'Create policy' }).click();
    await page.getByText(/line \d: /).waitFor();
    await clean();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page
      .getByLabel('Module', { exact: true })
      .fill('package night\n\ndeny contains "not now" if input.playbook == "greet.yml"\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Night', level: 1, exact: true }).waitFor();
    const [made] = (await stage.service.get('policies/')).body.results;
    expect(made).to.include({ name: 'Night', enforcement: 'enforce', last_sync_status: 'ok' });
  });

  it('show their decisions with the context, and are tried on it while they are typed', async () => {
    await stage.service.request('PATCH', 'organizations/1/', { body: { policy_enforcement: 'enforce' } });
    const { id } = await stage.template('greet.yml');
    expect((await stage.service.post(`job_templates/${id}/launch/`)).status).to.equal(403);
    await stage.open('/policy_decisions');
    await page.getByRole('link', { name: 'not now' }).click();
    await page.getByText('"playbook": "greet.yml"').waitFor();
    await clean();
    await page.getByRole('link', { name: 'Night' }).click();
    await page.getByRole('heading', { name: 'Night', level: 1, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Decisions' }).last().click();
    await page.getByRole('link', { name: 'not now' }).waitFor();
    await page.getByRole('link', { name: 'Past launches' }).click();
    await page.getByRole('button', { name: 'Try it on past launches' }).click();
    await page.getByText('Of 1 launches: 0 allowed, 0 warned of, 1 denied.').waitFor();
    await clean();

    await page.getByRole('link', { name: 'Edit' }).click();
    const said = page.getByRole('region', { name: 'Try the module' }).getByRole('status');
    await said.filter({ hasText: 'allow' }).waitFor();
    await page.getByLabel('Try with the context of').selectOption({ index: 1 });
    await said.filter({ hasText: 'deny\nnot now' }).waitFor();
    await page.getByLabel('Module', { exact: true }).fill('package night\n\nwarn contains input.resource_name\n');
    await said.filter({ hasText: 'warn\nRun greet.yml' }).waitFor();
    await page.getByLabel('Module', { exact: true }).fill('package night\n\nwarn contains if {\n');
    await said.filter({ hasText: /line \d/ }).waitFor();
    await clean();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('tell on the page of a run what they said of its launch, where they said anything', async () => {
    const [night] = (await stage.service.get('policies/')).body.results;
    const module = 'package night\n\nwarn contains "sleepy" if input.resource_name == "Run greet.yml"\n';
    const shown = { rego_module: night.rego_module };
    await stage.service.request('PATCH', `policies/${night.id}/`, { body: { rego_module: module } });
    const of = async (name: string) => (await stage.service.get(`job_templates/?name=${name}`)).body.results[0].id;
    const launch = async (id: number) => (await stage.service.post(`job_templates/${id}/launch/`)).body.id;
    const panel = page.getByRole('region', { name: 'Policy decisions' });
    const warned = await launch(await of('Run greet.yml'));
    await stage.open(`/jobs/${warned}`);
    await panel.getByRole('row', { name: /sleepy.*Warned.*Night/ }).waitFor();
    await clean();
    await panel.getByRole('link', { name: 'sleepy' }).click();
    await page.getByRole('heading', { name: 'sleepy', level: 1 }).waitFor();
    const passed = await launch((await stage.template('greet.yml', { name: 'Wide awake' })).id);
    await stage.open(`/jobs/${passed}`);
    await page.getByText('hello nobody').waitFor();
    expect(await panel.isVisible()).to.equal(false);
    await stage.service.request('PATCH', `policies/${night.id}/`, { body: shown });
    await clean();
  });

  it('are tried on a stored context before they are saved', async () => {
    await stage.open('/policies');
    await page.getByRole('link', { name: 'New policy' }).click();
    const module = page.getByLabel('Module', { exact: true });
    await module.fill('package unsaved\n\ndeny contains input.resource_name\n');
    const said = page.getByRole('region', { name: 'Try the module' }).getByRole('status');
    await said.filter({ hasText: 'allow' }).waitFor();
    await page.getByLabel('Try with the context of').selectOption({ index: 1 });
    await said.filter({ hasText: 'deny\nRun greet.yml' }).waitFor();
    // in the colours of its language
    await page.locator('.code-paint .is-keyword', { hasText: 'package' }).waitFor();
    await module.fill('package unsaved\n\ndeny contains if {\n');
    await said.filter({ hasText: /line \d/ }).waitFor();
    await clean();
    await module.fill('');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await stage.service.get('policies/')).body.count).to.equal(1);
  });

  it('are waived for one of more templates than a page holds, which is changed and ended', async () => {
    const { body } = await stage.service.get('policies/');
    const { db } = stage.service.services;
    const [{ id: organization_id }] = (await stage.service.get('organizations/')).body.results;
    const rows = Array.from({ length: 250 }, (_, n) => ({
      name: `Filler ${n}`,
      kind: 'job_template',
      organization_id,
    }));
    await db('templates').insert([...rows, { ...rows[0], name: 'Very last one' }]);
    await stage.open(`/policies/${body.results[0].id}?tab=waivers`);
    await page.getByRole('link', { name: 'Add waiver' }).click();
    await page.getByLabel('Scope').selectOption('template');
    const box = (name: string) => page.getByRole('combobox', { name });
    await box('Unified job template').fill('Very last');
    await page.getByRole('option', { name: 'Very last one' }).click();
    await page.getByLabel('Reason').fill('Agreed in ticket 7.');
    await box('Owner').fill('adm');
    await page.getByRole('option', { name: 'admin' }).click();
    await page.getByLabel('Expires').fill('2999-01-01T00:00');
    await page.getByRole('button', { name: 'Create waiver' }).click();
    await page.getByRole('heading', { name: 'Agreed in ticket 7.', level: 1 }).waitFor();
    await clean();
    const [made] = (await stage.service.get('policy_waivers/')).body.results;
    expect(made).to.include({ scope: 'template', policy: body.results[0].id, owner: 1 });
    expect(made.summary_fields.unified_job_template.name).to.equal('Very last one');

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Expires').fill('2998-01-01T00:00');
    await page.getByLabel('Reason').fill('Agreed in ticket 8.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Agreed in ticket 8.', level: 1 }).waitFor();
    const changed = (await stage.service.get(`policy_waivers/${made.id}/`)).body;
    expect(new Date(changed.expires).getTime()).to.be.lessThan(new Date(made.expires).getTime());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Waivers', level: 1 }).waitFor();
    expect((await stage.service.get('policy_waivers/')).body.count).to.equal(0);
    await clean();
  });
});
