import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { hasFocus, openStage, pick, type Stage, tabTo } from './stage.ts';

describeWith(['chromium'], 'the console: a workflow is edited in its graph', () => {
  let stage: Stage;
  let page: Page;
  let workflow: number;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    for (const name of ['Build', 'Deploy', 'Roll back'])
      await stage.template('greet.yml', { name, ask_limit_on_launch: true, ask_variables_on_launch: true });
    workflow = (await stage.make('workflow_job_templates/', { name: 'Ship', organization: 1 })).id;
    await stage.logIn();
    await stage.open(`/workflow_job_templates/${workflow}/graph`);
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const graph = () => page.getByRole('application', { name: 'Graph of Ship' });
  const node = (name: string): Locator => graph().locator(`[data-node][aria-label^="${name},"]`);
  const dialog = () => page.getByRole('dialog');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const stored = async (): Promise<any[]> =>
    (await stage.service.get(`workflow_job_templates/${workflow}/workflow_nodes/?order_by=id`)).body.results;
  const named = async (name: string) =>
    (await stored()).find((one) => one.summary_fields.unified_job_template?.name === name);
  const closed = () => dialog().waitFor({ state: 'detached' });

  it('adds nodes by keyboard: the first, one after another, and an approval', async () => {
    await page.getByText('This workflow has no nodes yet.').waitFor();
    await tabTo(page, button('Add a node'));
    await page.keyboard.press('Enter');
    await dialog().getByRole('heading', { name: 'Add a node' }).waitFor();
    await tabTo(page, dialog().getByRole('button', { name: 'Add node' }));
    await page.keyboard.press('Enter');
    await dialog().getByText('Choose what it launches.').waitFor();
    await pick(page, 'Template', 'Build');
    await dialog().getByRole('button', { name: 'Add node' }).press('Enter');
    await node('Build').waitFor();
    await until(() => hasFocus(page.getByRole('heading', { name: 'Build', level: 2 })));
    // Escape leads from what can be done with a node back to it
    await page.keyboard.press('Escape');
    await until(() => hasFocus(node('Build')));

    await page.keyboard.press('Insert');
    await dialog().getByRole('heading', { name: 'Add a node after Build' }).waitFor();
    await pick(page, 'Template', 'Deploy');
    // what the template asks for may be answered here
    await dialog()
      .getByLabel(/^Limit/)
      .fill('web1');
    await dialog()
      .getByLabel(/^Extra variables/)
      .fill('who: everybody');
    await dialog().getByRole('button', { name: 'Add node' }).press('Enter');
    await node('Deploy').waitFor();
    const [build, deploy] = [await named('Build'), await named('Deploy')];
    expect(build.success_nodes).to.deep.equal([deploy.id]);
    expect(deploy).to.deep.include({ limit: 'web1', extra_data: { who: 'everybody' } });

    await node('Deploy').focus();
    await page.keyboard.press('Insert');
    await dialog().getByLabel('Runs', { exact: true }).selectOption('On failure');
    await dialog().getByLabel('Kind', { exact: true }).selectOption('Approval');
    await dialog().getByRole('button', { name: 'Add node' }).press('Enter');
    // refused by the API, at its field, and nothing is left behind
    await dialog()
      .locator('.field.invalid', { has: page.getByLabel('Name', { exact: true }) })
      .waitFor();
    expect(await stored()).to.have.length(2);
    await dialog().getByLabel('Name', { exact: true }).fill('Try again?');
    await dialog()
      .getByLabel(/^Timeout/)
      .fill('600');
    await dialog().getByRole('button', { name: 'Add node' }).press('Enter');
    await node('Try again?').waitFor();
    const asks = await named('Try again?');
    expect((await named('Deploy')).failure_nodes).to.deep.equal([asks.id]);
    expect(asks.summary_fields.unified_job_template.timeout).to.equal(600);
  });

  it('links by keyboard, and shows at the place why the API refuses', async () => {
    await button('Add a node').click();
    await pick(page, 'Template', 'Roll back');
    await dialog().getByRole('button', { name: 'Add node' }).click();
    await node('Roll back').waitFor();
    await node('Try again?').focus();
    await page.keyboard.press('l');
    await dialog().getByRole('heading', { name: 'Link two nodes' }).waitFor();
    await dialog().getByLabel('Then', { exact: true }).selectOption('Build');
    await dialog().getByRole('button', { name: 'Link', exact: true }).press('Enter');
    await dialog().getByRole('alert').filter({ hasText: 'A cycle was found' }).waitFor();
    await dialog().getByLabel('Then', { exact: true }).selectOption('Roll back');
    await dialog().getByLabel('Runs', { exact: true }).selectOption('Always');
    await dialog().getByRole('button', { name: 'Link', exact: true }).press('Enter');
    await closed();
    const back = await named('Roll back');
    expect((await named('Try again?')).always_nodes).to.deep.equal([back.id]);
    await until(async () => (await node('Try again?').getAttribute('aria-label'))!.includes('Always: Roll back.'));
  });

  it('draws a link by the pointer, changes it by a click on it, and removes it after a question', async () => {
    await page.setViewportSize({ width: 1800, height: 1000 });
    const centre = async (of: Locator) => {
      const { x, y, width, height } = (await of.boundingBox())!;
      return { x: x + width / 2, y: y + height / 2 };
    };
    await node('Build').scrollIntoViewIfNeeded();
    const { x, y } = await centre(node('Build'));
    const half = (await node('Build').boundingBox())!.width / 2;
    const end = await centre(node('Roll back'));
    await page.mouse.move(x + half, y);
    await page.mouse.down();
    await page.mouse.move(x + half + 40, y + 20);
    await page.mouse.move(end.x, end.y, { steps: 4 });
    await page.mouse.up();
    await dialog().getByRole('heading', { name: 'Link two nodes' }).waitFor();
    expect(await dialog().getByLabel('First', { exact: true }).locator('option:checked').textContent()).to.equal(
      'Build',
    );
    await dialog().getByLabel('Runs', { exact: true }).selectOption('Always');
    await dialog().getByRole('button', { name: 'Link', exact: true }).click();
    await closed();
    const back = (await named('Roll back')).id;
    expect((await named('Build')).always_nodes).to.deep.equal([back]);

    await node('Build').click();
    const panel = page.getByRole('region', { name: 'Build' });
    await panel.getByRole('button', { name: 'Change link with Roll back' }).click();
    await dialog().getByLabel('Runs', { exact: true }).selectOption('On failure');
    await dialog().getByRole('button', { name: 'Change link' }).click();
    await closed();
    expect(await named('Build')).to.deep.include({ always_nodes: [], failure_nodes: [back] });

    await graph().locator('.link-group.failure text').first().click();
    await dialog().getByRole('heading', { name: 'Change the link' }).waitFor();
    await page.keyboard.press('Escape');
    await closed();
    await panel.getByRole('button', { name: 'Remove link with Roll back' }).click();
    await dialog().getByText('Roll back will not follow Build any more.').waitFor();
    await dialog().getByRole('button', { name: 'Keep it' }).click();
    await closed();
    await panel.getByRole('button', { name: 'Remove link with Roll back' }).click();
    await dialog().getByRole('button', { name: 'Remove link' }).click();
    await closed();
    expect((await named('Build')).failure_nodes).to.deep.equal([]);
  });

  it('edits a node with what it waits for and what it is launched with, and removes it', async () => {
    await node('Deploy').focus();
    await page.keyboard.press('e');
    await dialog().getByRole('heading', { name: 'Edit Deploy' }).waitFor();
    await dialog()
      .getByLabel(/^Limit/)
      .fill('');
    await dialog()
      .getByLabel(/^Wait for all nodes before it/)
      .check();
    await dialog()
      .getByLabel(/^Retries/)
      .fill('101');
    await dialog().getByRole('button', { name: 'Save node' }).click();
    await dialog()
      .locator('.field.invalid', { has: page.getByLabel(/^Retries/) })
      .waitFor();
    await dialog()
      .getByLabel(/^Retries/)
      .fill('2');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), `the dialog, ${colorScheme}`).to.deep.equal([]);
    }
    await dialog().getByRole('button', { name: 'Save node' }).click();
    await closed();
    expect(await named('Deploy')).to.include({ limit: null, all_parents_must_converge: true, max_retries: 2 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), `the editor, ${colorScheme}`).to.deep.equal([]);
    }

    await node('Try again?').focus();
    await page.keyboard.press('Delete');
    await dialog().getByRole('button', { name: 'Remove node' }).press('Enter');
    await closed();
    await node('Try again?').waitFor({ state: 'detached' });
    expect(await stored()).to.have.length(3);
    expect((await named('Deploy')).failure_nodes).to.deep.equal([]);
  });

  it('gives a node the credentials, labels, groups and environment that its template asks for', async () => {
    const [machine] = (await stage.service.get('credential_types/?namespace=ssh')).body.results;
    const credential = (name: string) =>
      stage.make('credentials/', { name, organization: 1, credential_type: machine.id });
    const [first, second] = [await credential('Red key'), await credential('Blue key')];
    const label = await stage.make('labels/', { name: 'urgent', organization: 1 });
    const group = await stage.make('instance_groups/', { name: 'north' });
    const image = { name: 'Small image', image: 'registry.example/small:1', organization: 1 };
    const environment = await stage.make('execution_environments/', image);
    const asking = await stage.template('greet.yml', {
      name: 'Asks for all',
      ask_credential_on_launch: true,
      ask_labels_on_launch: true,
      ask_instance_groups_on_launch: true,
      ask_execution_environment_on_launch: true,
    });
    const list = (name: string) => dialog().getByRole('group', { name: new RegExp(`^${name}`) });
    const add = async (name: string, what: string) => {
      await list(name).getByRole('combobox').fill(what);
      await page.getByRole('option', { name: new RegExp(`^${what}`) }).click();
      await list(name)
        .getByRole('button', { name: `Take off ${what}` })
        .waitFor();
    };
    const ids = async (node: number, name: string) =>
      (await stage.service.get(`workflow_job_template_nodes/${node}/${name}/`)).body.results.map(({ id }: any) => id);

    await button('Add a node').click();
    await pick(page, 'Template', 'Asks for all');
    await pick(page, 'Execution environment', 'Small image');
    await add('Credentials', 'Red key');
    await add('Credentials', 'Blue key');
    await add('Labels', 'urgent');
    await add('Instance groups', 'north');
    await dialog().getByRole('button', { name: 'Add node' }).click();
    // two of one type: refused at its field, and nothing is left behind
    await list('Credentials').getByText('Cannot assign several').waitFor();
    expect(await named('Asks for all')).to.equal(undefined);
    expect(await violations(page), 'lists of a node').to.deep.equal([]);
    await list('Credentials').getByRole('button', { name: 'Take off Red key' }).press('Enter');
    await until(() => hasFocus(list('Credentials').getByRole('combobox')));
    await dialog().getByRole('button', { name: 'Add node' }).press('Enter');
    await closed();
    const { id, execution_environment } = await named('Asks for all');
    expect(execution_environment).to.equal(environment.id);
    expect([await ids(id, 'credentials'), await ids(id, 'labels'), await ids(id, 'instance_groups')]).to.deep.equal([
      [second.id],
      [label.id],
      [group.id],
    ]);

    // somebody who may change the workflow chooses among what the API lets them use
    const { id: user } = await stage.make('users/', { username: 'editor', password: 'long enough 1' });
    const give = async (path: string, role: string) => {
      const { object_roles: roles } = (await stage.service.get(path)).body.summary_fields;
      expect((await stage.service.post(`roles/${roles[role].id}/users/`, { id: user })).status).to.equal(204);
    };
    expect((await stage.service.post('organizations/1/users/', { id: user })).status).to.equal(204);
    await give(`workflow_job_templates/${workflow}/`, 'admin_role');
    await give(`job_templates/${asking.id}/`, 'execute_role');
    await give(`credentials/${first.id}/`, 'use_role');
    await give(`credentials/${second.id}/`, 'read_role');
    const editor = await stage.fresh();
    await stage.logIn(editor, 'editor', 'long enough 1');
    await editor.goto(`/workflow_job_templates/${workflow}/graph`);
    await editor.getByRole('application').locator('[data-node][aria-label^="Asks for all,"]').focus();
    await editor.keyboard.press('e');
    const theirs = editor.getByRole('group', { name: /^Credentials/ });
    await theirs.getByText('Blue key').first().waitFor();
    await theirs.getByRole('combobox').fill('key');
    await editor.getByRole('option', { name: /^Red key/ }).waitFor();
    const offered = editor.getByRole('listbox', { name: 'Add to credentials' }).getByRole('option');
    // while it is searched the list is empty
    await until(async () => (await offered.count()) === 1);
    await offered.getByText('Red key').waitFor();
    await editor.context().close();

    await node('Asks for all').focus();
    await page.keyboard.press('e');
    await list('Credentials').getByRole('button', { name: 'Take off Blue key' }).click();
    await add('Credentials', 'Red key');
    await list('Labels').getByRole('button', { name: 'Take off urgent' }).click();
    await dialog().getByRole('button', { name: 'Save node' }).click();
    await closed();
    expect([await ids(id, 'credentials'), await ids(id, 'labels'), await ids(id, 'instance_groups')]).to.deep.equal([
      [first.id],
      [],
      [group.id],
    ]);
  });

  it('gives a node another template, which does not ask for what was saved', async () => {
    const bare = await stage.template('greet.yml', { name: 'No questions' });
    const { id } = await named('Deploy');
    const limited = await stage.service.request('PATCH', `workflow_job_template_nodes/${id}/`, {
      body: { limit: 'web1' },
    });
    expect(limited.status).to.equal(200);
    await node('Deploy').focus();
    await page.keyboard.press('e');
    await pick(page, 'Template', 'No questions');
    await dialog().getByRole('button', { name: 'Save node' }).click();
    await closed();
    expect(await named('No questions')).to.deep.include({
      id,
      unified_job_template: bare.id,
      limit: null,
      extra_data: {},
    });
  });

  it('is only a picture for those who only read', async () => {
    const { id } = await stage.make('users/', { username: 'reader', password: 'long enough 1' });
    const { summary_fields } = (await stage.service.get(`workflow_job_templates/${workflow}/`)).body;
    const given = await stage.service.post(`roles/${summary_fields.object_roles.read_role.id}/users/`, { id });
    expect(given.status).to.equal(204);
    const reader = await stage.fresh();
    await stage.logIn(reader, 'reader', 'long enough 1');
    await reader.goto(`/workflow_job_templates/${workflow}/graph`);
    await reader.getByRole('application', { name: 'Graph of Ship' }).waitFor();
    for (const name of ['Add a node', 'Link two nodes']) expect(await reader.getByText(name).count()).to.equal(0);
    const nodes = reader.getByRole('application').locator('a[href]');
    const [to] = await nodes.evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    await nodes.first().press('Enter');
    await reader.waitForURL(`**${to}`);
    await reader.context().close();
  });
});
