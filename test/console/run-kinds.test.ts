import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { madeUpKinds } from '../conformance/made-up-kinds.ts';
import { SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { local, openStage, pick, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: runs of every kind', () => {
  let stage: Stage;
  let page: Page;
  const repository = new SourceRepository();
  const gates = mkdtempSync(join(tmpdir(), 'tapline-console-gates-'));
  before(async () => {
    repository.commit({ 'hosts.ini': 'till1\ntill2\n' });
    const env = { TAPLINE_PROJECT_FILE_URLS: repository.folder };
    stage = await openStage(env, { plugins: [madeUpKinds({ folder: gates })] });
    page = stage.page;
    await stage.make('users/', { username: 'stranger', password: 'long enough 1' });
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    for (const folder of [gates, dirname(repository.folder)]) removeFolder(folder);
  });
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const first = async (path: string) => (await stage.service.get(path)).body.results[0];
  /** Where the list of all leads for what runs under this name. */
  const follow = async (name: string, noun: string) => {
    await stage.open('/jobs');
    await page.getByRole('rowheader', { name, exact: false }).getByRole('link').first().click();
    await page.getByRole('heading', { name: new RegExp(`^${name}.* · ${noun} \\d+$`), level: 1 }).waitFor();
    return new URL(page.url()).pathname;
  };
  const status = (text: string) => page.locator('.page-head .status', { hasText: text }).waitFor();
  const output = (text: string) =>
    page.getByRole('region', { name: 'Lines of the output' }).getByText(text, { exact: false }).first().waitFor();

  /** The part of a run's page that explains each right to it, by names of rights. */
  const explains = async (right: string, why: RegExp) => {
    const parts = page.getByRole('navigation', { name: 'Parts of the run' });
    await parts.getByRole('link', { name: 'Who may, and why' }).click();
    const table = page.getByRole('table', { name: 'What admin may do' });
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: right, exact: true }) });
    await row.getByText(why).first().waitFor();
    await pick(page, 'Who', 'stranger');
    await page.getByRole('table', { name: 'What stranger may do' }).getByText('Admin on').first().waitFor();
    await parts.getByRole('link').first().click();
  };

  it('are shown where the list of all leads: commands, which run again', async () => {
    const { inventory } = stage;
    const { id } = await stage.make('ad_hoc_commands/', { inventory, module_name: 'shell', module_args: 'echo told' });
    expect(await follow('shell', 'Command')).to.equal(`/ad_hoc_commands/${id}`);
    await output('told');
    await status('Successful');
    const facts = page.getByLabel('About this run');
    expect(await facts.textContent())
      .to.include('echo told')
      .and.include('Production');
    await explains('start', /System Administrator/);
    await page.getByRole('button', { name: 'Relaunch', exact: true }).click();
    await page.waitForURL(
      (url) => url.pathname !== `/ad_hoc_commands/${id}` && /^\/ad_hoc_commands\/\d+$/.test(url.pathname),
    );
    await status('Successful');
  });

  it('commands are run from an inventory, a host and a group, and only by who may', async () => {
    const { inventory, service, make } = stage;
    await make('groups/', { name: 'tills', inventory });
    const group = await first('groups/?name=tills');
    await make(`groups/${group.id}/hosts/`, { name: 'till9', variables: local });
    const host = await first('hosts/?name=till9');
    const runCommand = async (path: string, fill: () => Promise<void>) => {
      await stage.open(path);
      await page.getByRole('link', { name: 'Run a command', exact: true }).click();
      await page.waitForURL(new RegExp(`${path}/command$`));
      await page.getByLabel(/^Module name/).selectOption('shell');
      await fill();
      await page.getByRole('button', { name: 'Run command' }).click();
    };
    const shown = async () => {
      await page.waitForURL(/\/ad_hoc_commands\/\d+$/);
      return (await service.get(`ad_hoc_commands/${page.url().split('/').at(-1)}/`)).body;
    };
    await runCommand(`/inventories/${inventory}`, async () => undefined);
    const invalid = page.locator('.field.invalid', { has: page.getByLabel(/^Module args/) });
    await invalid.getByText('No argument passed to the shell module.').waitFor();
    await page.getByLabel(/^Module args/).fill('echo as told');
    await page.getByLabel(/^Limit/).fill('till9');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel(/^Verbosity/).selectOption({ label: '1 (Verbose)' });
    await page.getByLabel(/^Forks/).fill('3');
    await page.getByLabel(/^Extra vars/).fill('colour: red');
    await page.getByRole('button', { name: 'Run command' }).click();
    const told = {
      inventory,
      module_name: 'shell',
      module_args: 'echo as told',
      limit: 'till9',
      verbosity: 1,
      forks: 3,
    };
    expect(await shown()).to.include({ ...told, extra_vars: 'colour: red' });
    await output('as told');
    for (const [path, limit] of [
      [`/hosts/${host.id}`, 'till9'],
      [`/groups/${group.id}`, 'tills'],
    ]) {
      await runCommand(path!, () => page.getByLabel(/^Module args/).fill('echo there'));
      expect(await shown()).to.include({ inventory, limit });
      await status('Successful');
      await stage.open(`${path}?tab=ad_hoc_commands`);
      await page.getByRole('rowheader', { name: 'shell' }).first().waitFor();
    }
    await make('users/', { username: 'reader', password: 'long enough 1' });
    const { object_roles: roles } = (await service.get(`inventories/${inventory}/`)).body.summary_fields;
    await service.post(`roles/${roles.read_role.id}/users/`, { id: (await first('users/?username=reader')).id });
    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.goto(`/hosts/${host.id}`);
    await reader.locator('.record').waitFor();
    expect(await reader.getByText('Run a command').count()).to.equal(0);
    await reader.goto(`/hosts/${host.id}/command`);
    await reader.getByText('You may not run commands here.').waitFor();
    await reader.context().close();
  });

  it('commands ask for the passwords of their credential where those are not kept', async () => {
    const { inventory, service, make } = stage;
    const { id: credential_type } = await first('credential_types/?namespace=ssh');
    const inputs = { username: 'deploy', password: 'ASK' };
    await make('credentials/', { name: 'Asked for', organization: 1, credential_type, inputs });
    await stage.open(`/inventories/${inventory}/command`);
    await page.getByLabel(/^Module args/).fill('echo with a password');
    await pick(page, 'Credential', 'Asked for');
    const run = page.getByRole('button', { name: 'Run command' });
    await run.click();
    const password = page.getByRole('main').locator('input[type="password"]');
    await password.waitFor();
    expect(await password.inputValue()).to.equal('');
    const before = (await service.get('ad_hoc_commands/')).body.count;
    await password.fill('told once');
    await run.click();
    await page.waitForURL(/\/ad_hoc_commands\/\d+$/);
    const { body } = await service.get(`ad_hoc_commands/${page.url().split('/').at(-1)}/`);
    expect(body.module_args).to.equal('echo with a password');
    expect(JSON.stringify(body)).to.not.include('told once');
    expect((await service.get('ad_hoc_commands/')).body.count).to.equal(before + 1);
    await status('Successful');
  });

  it('updates of projects and inventories, these also from their source', async () => {
    const project = await stage.make('projects/', {
      name: 'Tills',
      organization: 1,
      scm_type: 'git',
      scm_url: repository.url,
    });
    expect(await follow('Tills', 'Project update')).to.match(/^\/project_updates\/\d+$/);
    await status('Successful');
    const source = await stage.make('inventory_sources/', {
      name: 'File',
      inventory: stage.inventory,
      source: 'scm',
      source_project: project.id,
      source_path: 'hosts.ini',
    });
    await stage.open(`/inventory_sources/${source.id}`);
    await page.getByRole('button', { name: 'Update File' }).click();
    await page.waitForURL(/\/inventory_updates\/\d+$/);
    await status('Successful');
    const path = new URL(page.url()).pathname;
    expect(await follow('Production - File', 'Inventory update')).to.equal(path);
    await page.getByLabel('About this run').getByRole('link', { name: 'File' }).click();
    await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'Updates' }).click();
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.waitForURL(`**${path}`);
  });

  it('updates of all sources of an inventory, by who may do no more than that', async () => {
    const { inventory, service } = stage;
    const { object_roles: roles } = (await service.get(`inventories/${inventory}/`)).body.summary_fields;
    const people = { updater: roles.update_role, viewer: roles.read_role };
    for (const [username, role] of Object.entries(people)) {
      const { id } = await stage.make('users/', { username, password: 'long enough 1' });
      await service.post(`roles/${role.id}/users/`, { id });
      const other = await stage.fresh();
      await stage.logIn(other, username, 'long enough 1');
      const asked = other.waitForResponse(`**/inventories/${inventory}/inventory_sources/*`);
      await other.goto(`/inventories/${inventory}`);
      await asked;
      await other.locator('.record').waitFor();
      const update = other.getByRole('button', { name: 'Update all sources of Production' });
      expect(await other.getByRole('link', { name: 'Edit', exact: true }).count()).to.equal(0);
      if (username === 'viewer') expect(await update.count()).to.equal(0);
      else {
        const before = (await service.get('inventory_updates/')).body.count;
        await update.click();
        await other.getByText('The updates are started.').waitFor();
        expect((await service.get('inventory_updates/')).body.count).to.equal(before + 1);
      }
      await other.context().close();
    }
  });

  it('upkeep of the service, and kinds that plugins bring', async () => {
    const cleanup = await first('system_job_templates/?job_type=cleanup_jobs');
    const { system_job: upkeep } = await stage.make(`system_job_templates/${cleanup.id}/launch/`, {
      extra_vars: { days: 30, dry_run: true },
    });
    expect(await follow(cleanup.name, 'System job')).to.equal(`/system_jobs/${upkeep}`);
    await output('Begun');
    await status('Successful');

    const template = await stage.make('made_task_templates/', { name: 'Painted', organization: 1, description: 'red' });
    const { id } = await stage.make(`made_task_templates/${template.id}/launch/`, {});
    expect(await follow('Painted', 'Made task')).to.equal(`/runs/made_tasks/${id}`);
    await output('attempt 1');
    writeFileSync(join(gates, `go-${id}`), '');
    await output('ended');
    await status('Successful');
  });

  it('workflows, and the approvals that they wait for', async () => {
    const workflow = await stage.make('workflow_job_templates/', { name: 'Open the shop', organization: 1 });
    const node = await stage.make(`workflow_job_templates/${workflow.id}/workflow_nodes/`, { identifier: 'ask' });
    await stage.make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name: 'Shall we?' });
    const { id } = await stage.make(`workflow_job_templates/${workflow.id}/launch/`, {});
    expect(await follow('Open the shop', 'Workflow')).to.equal(`/workflow_jobs/${id}`);
    await explains('cancel', /superuser|Admin/);
    await page.getByRole('application', { name: 'Graph of Open the shop' }).waitFor();
    await until(async () => (await first('workflow_approvals/?status=pending')) !== undefined);
    await stage.open(`/workflow_approvals/${(await first('workflow_approvals/')).id}`);
    await page.getByRole('heading', { name: 'Shall we?', level: 1 }).waitFor();
    await page.locator('.record').getByText('Pending').waitFor();
  });
});
