import { expect } from 'chai';
import type { Page, WebSocketRoute } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { hasFocus, openStage, pick, type Stage } from './stage.ts';

/** The environment does not say which plugins are on: the console may. */
const notGiven = { TAPLINE_PLUGINS: undefined } as unknown as Record<string, string>;

describeWith(['chromium'], 'the console: what is taken back, and what goes wrong', () => {
  let stage: Stage;
  let page: Page;
  let template: number;
  before(async () => {
    stage = await openStage(notGiven);
    page = stage.page;
    await stage.logIn();
    template = (await stage.template('greet.yml', { name: 'Greet', ask_variables_on_launch: true })).id;
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  it('switches a plugin off for the next start, after saying what goes, and takes that back', async () => {
    await stage.open('/plugins');
    const table = page.getByRole('table', { name: 'Plugins that there are' });
    await table.getByRole('button', { name: 'Switch off eda' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch eda off?' });
    await dialog.getByText(/^resources: /).waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText(/^Off from the next start of .*: eda\.$/).waitFor();
    expect((await stage.service.get('plugin_switches/?name=eda')).body.results[0].enabled).to.equal(false);
    await page.getByRole('button', { name: /^Undo: eda is off/ }).click();
    await page.getByText(/^Off from the next start/).waitFor({ state: 'detached' });
    expect((await stage.service.get('plugin_switches/?name=eda')).body.results[0].enabled).to.equal(true);
  });

  it('takes back that a user was taken off a team', async () => {
    const { id: team } = await stage.make('teams/', { name: 'Keepers', organization: 1 });
    const { id: user } = await stage.make('users/', { username: 'kim', password: 'long enough 1' });
    await stage.service.post(`teams/${team}/users/`, { id: user });
    await stage.open(`/teams/${team}?tab=users`);
    await page.getByRole('button', { name: 'Take off kim' }).click();
    await page.getByText('There is no user here yet.').waitFor();
    await page.getByRole('button', { name: 'Undo: kim is taken off.' }).click();
    await page.getByRole('link', { name: 'kim' }).waitFor();
    expect((await stage.service.get(`teams/${team}/users/`)).body.count).to.equal(1);
  });

  it('explains on every record who may do what to it, and why or by what they could', async () => {
    const kim = (await stage.service.get('users/?username=kim')).body.results[0].id;
    const { object_roles: roles } = (await stage.service.get(`job_templates/${template}/`)).body.summary_fields;
    await stage.service.post(`roles/${roles.execute_role.id}/users/`, { id: kim });
    await stage.open(`/templates/${template}?tab=why&user=${kim}`);
    const rights = page.getByRole('table', { name: 'What kim may do' });
    const line = (name: string) =>
      rights.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    expect(await line('see').textContent()).to.match(/Yes.*Execute on job template Greet/);
    expect(await line('change').textContent()).to.match(/No.*Admin on job template Greet/);
    expect(await violations(page)).to.deep.equal([]);
    await stage.open(`/schedules?order_by=id`);
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Who may, and why' }).click();
    await page.getByRole('table', { name: 'What admin may do' }).waitFor();
  });

  it('says that it waits where the API is slow, and tries again where it is away', async () => {
    let goOn = () => undefined as void;
    const slow = new Promise<void>((resolve) => void (goOn = resolve));
    await page.route('**/api/v2/teams/?*', (route) => slow.then(() => route.continue()), { times: 1 });
    await page.goto('/teams');
    await page.getByText('Loading teams …').waitFor();
    goOn();
    await page.getByRole('link', { name: 'Keepers' }).waitFor();
    // each time: the page asks again by itself once its WebSocket is open
    await page.route('**/api/v2/teams/?*', (route) => route.fulfill({ status: 503, json: { detail: 'Not now.' } }));
    await page.goto('/teams?search=Keep');
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await page.locator('.connection.open').waitFor();
    // once it is open nothing else makes the page ask again
    await page.locator('.connection.open').waitFor();
    await page.unroute('**/api/v2/teams/?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Keepers' }).waitFor();
    // read at the end: the browser may tell late of a second refusal
    expect(stage.problems().join()).to.include('503');
  });

  it('keeps what somebody types where what stands around it cannot be read again', async () => {
    const { id: workflow } = await stage.make('workflow_job_templates/', { name: 'Round', organization: 1 });
    await stage.make(`workflow_job_templates/${workflow}/workflow_nodes/`, { unified_job_template: template });
    const other = await stage.fresh();
    const connections: WebSocketRoute[] = [];
    await other.routeWebSocket('**/websocket/', (connection) => {
      connection.connectToServer();
      connections.push(connection);
    });
    await stage.logIn(other);
    /** everything on the page is read again, of which `path` fails; then it is well again */
    const failsOnce = async (path: string, meanwhile: () => Promise<unknown>) => {
      const alert = other.getByRole('alert').filter({ hasText: 'Not now.', visible: true });
      await other.locator('.connection.open').waitFor();
      await other.route(path, (route) => route.fulfill({ status: 503, json: { detail: 'Not now.' } }));
      await connections.at(-1)!.close();
      await alert.waitFor();
      await meanwhile();
      await other.unroute(path);
      await other.locator('.connection.open').waitFor();
      await connections.at(-1)!.close();
      await alert.waitFor({ state: 'detached' });
      await meanwhile();
    };
    await other.goto(`/templates/${template}?tab=survey`);
    await other.getByRole('button', { name: 'Add question' }).click();
    const question = other.getByRole('textbox', { name: 'Question', exact: true });
    await question.fill('Whom to greet?');
    await failsOnce('**/survey_spec/', async () => expect(await question.inputValue()).to.equal('Whom to greet?'));
    await other.goto(`/workflow_job_templates/${workflow}/graph`);
    await other.getByRole('button', { name: 'Add a node' }).click();
    const dialog = other.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Add a node' }).waitFor();
    await failsOnce('**/workflow_nodes/?*', async () => expect(await dialog.count()).to.equal(1));
    const { id: run } = await stage.make(`workflow_job_templates/${workflow}/launch/`, {});
    await until(async () => (await stage.service.get(`workflow_jobs/${run}/`)).body.status === 'successful');
    const job = (await stage.service.get(`workflow_jobs/${run}/workflow_nodes/`)).body.results[0].job as number;
    await until(async () => (await stage.service.get(`jobs/${job}/`)).body.event_processing_finished);
    const said = [{ id: 1, message: 'Not at night', decision: 'warn', policy: null, policy_name: 'Night' }];
    await other.route('**/policy_decisions/?unified_job=*', (route) =>
      route.fulfill({ json: { count: 1, next: null, previous: null, results: said } }),
    );
    /** what is read on a page, and the reading that fails there */
    const read: [path: string, text: string, fails: string][] = [
      [`/workflow_jobs/${run}`, 'What follows', '**/workflow_nodes/?*'],
      [`/jobs/${job}?tab=tasks`, 'Tasks in their order', '**/job_events/?event__in=playbook*'],
      [`/jobs/${job}?tab=hosts&host=web1`, 'Tasks on web1', '**/job_events/?event__in=runner*'],
      [`/jobs/${job}?tab=timeline`, 'Tasks along the time', '**/job_events/?event__in=playbook*'],
      [`/jobs/${job}`, 'Not at night', '**/policy_decisions/**'],
      ['/hosts/1', 'Enabled', '**/api/v2/hosts/'],
    ];
    for (const [path, text, fails] of read) {
      await other.goto(path);
      const there = other.getByRole('main').getByText(text, { exact: true }).first();
      await there.waitFor();
      await failsOnce(fails, async () => expect(await there.isVisible(), path).to.equal(true));
    }
    await other.context().close();
    expect(stage.problems().join()).to.include('503');
  });

  it('shows fields and kinds that it does not know, and saves the others', async () => {
    await page.route('**/api/v2/teams/', async (route) => {
      if (route.request().method() !== 'OPTIONS') return route.continue();
      const answer = await route.fetch();
      const options = await answer.json();
      for (const method of ['GET', 'POST', 'PUT'])
        if (options.actions[method])
          options.actions[method].quantum = { type: 'entangled', label: 'Quantum', required: false };
      return route.fulfill({ response: answer, json: options });
    });
    await stage.open('/teams/new');
    await page.getByLabel('Name').fill('Newer than the page');
    await pick(page, 'Organization', 'Default');
    await page.getByRole('button', { name: /^(?:Create|Save)/ }).click();
    await page.getByRole('heading', { name: 'Newer than the page', level: 1 }).waitFor();
    await page.unroute('**/api/v2/teams/');
  });

  it('runs no markup of an output', async () => {
    const canary = '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script>';
    const launched = await stage.make(`job_templates/${template}/launch/`, { extra_vars: { who: canary } });
    await stage.open(`/jobs/${launched.job}`);
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
    await page.getByText('<script>document.title=').filter({ visible: true }).first().waitFor();
    expect(await page.title()).to.not.include('hacked');
  });

  it('colours code, marks brackets and the bad line, and lets Tab out', async () => {
    await stage.open(`/templates/${template}/edit`);
    const variables = page.getByLabel(/^Extra vars/);
    const editor = page.locator('.code-field').filter({ has: variables });
    await variables.fill('# a word\nsizes: [1, 2]\n');
    await editor.locator('.is-comment', { hasText: '# a word' }).waitFor();
    expect(await editor.locator('.code-paint').textContent()).to.equal('# a word\nsizes: [1, 2]\n\n');
    await variables.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(16, 16));
    await variables.press('ArrowRight');
    await until(async () => (await editor.locator('.is-bracket').allTextContents()).join('') === '[]');
    await variables.fill('colour: green\nsize: [1, 2\nlast: 1\n');
    await editor.locator('.code-numbers .bad').waitFor();
    await variables.fill('nested:\n  one: 1');
    await variables.press('End');
    await variables.press('Enter');
    await until(async () => (await variables.inputValue()) === 'nested:\n  one: 1\n  ');
    await variables.press('Tab');
    await until(async () => !(await hasFocus(variables)));
    expect(await violations(page)).to.deep.equal([]);
  });

  it('has the menu of the plugins that are on after the service came back, without being loaded again', async () => {
    await stage.open('/');
    const rules = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Event rules' });
    await rules.waitFor();
    const turn = (enabled: boolean) =>
      stage.service.post('plugin_switches/', { name: 'eda', enabled, optional: false });
    for (const state of ['detached', 'visible'] as const) {
      expect((await turn(state === 'visible')).status).to.be.lessThan(300);
      await stage.restart(() => page.getByText('Connection lost, trying again').waitFor());
      await rules.waitFor({ state });
    }
    const others = stage.problems().filter((problem) => !/ERR_CONNECTION|ERR_EMPTY|WebSocket connection/.test(problem));
    expect(others).to.deep.equal([]);
  });

  it('speaks another language where the browser has its texts', async () => {
    await page.evaluate(() =>
      localStorage.setItem(
        'tapline.texts',
        JSON.stringify({ language: 'x', texts: { Overview: 'Übersicht', 'New {0}': 'Neu: {0}', team: 'Gruppe' } }),
      ),
    );
    await stage.open('/teams');
    await page.getByRole('link', { name: 'Neu: Gruppe' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Übersicht' }).waitFor();
    await page.evaluate(() => localStorage.removeItem('tapline.texts'));
    await stage.open('/teams');
    await until(async () => (await page.getByRole('link', { name: 'New team' }).count()) === 1);
  });
});
