import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { builder } from './nodes.ts';
import { hasFocus, openStage, type Stage, tabTo } from './stage.ts';

describeWith(['chromium'], 'the console: a workflow as a graph', () => {
  let stage: Stage;
  let page: Page;
  let workflow: number;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    await stage.logIn();
    const { release } = stage;
    await stage.make('users/', { username: 'chief', password: 'long enough 1', is_superuser: true });
    const template = async (playbook: string, name: string, more = {}) =>
      (await stage.template(playbook, { name, ...more })).id as number;
    workflow = (await stage.make('workflow_job_templates/', { name: 'Release', organization: 1 })).id;
    const { node, approval, follow } = builder(stage, workflow);
    const [build, deploy, undo, clean] = [
      await node(await template('greet.yml', 'Build')),
      await node(await template('held.yml', 'Deploy', { extra_vars: JSON.stringify({ release }) })),
      await node(await template('greet.yml', 'Roll back')),
      await node(await template('greet.yml', 'Clean up'), { all_parents_must_converge: true }),
    ];
    const asks = await approval('Shall it go live?');
    await follow(build, 'success', deploy);
    await follow(deploy, 'failure', undo);
    await follow(deploy, 'success', asks);
    await follow(build, 'always', clean);
    await follow(asks, 'always', clean);
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const graph = (name = 'Graph of Release') => page.getByRole('application', { name });
  const node = (name: string): Locator => graph().locator(`[data-node][aria-label^="${name},"]`);
  const launch = async () => (await stage.make(`workflow_job_templates/${workflow}/launch/`, {})).id as number;
  /** Somebody else than who launched it: nobody approves what is their own. */
  const chief = (path: string) => stage.service.post(path, {}, { auth: 'chief:long enough 1' });
  const inNode = (name: string, text: string) => node(name).getByText(text, { exact: true }).waitFor();

  it('draws the template with its links by kind, told by word and dash as by colour', async () => {
    await stage.open(`/workflow_job_templates/${workflow}/graph`);
    await node('Build').waitFor();
    const tabs = page.getByRole('navigation', { name: 'Parts' });
    expect(await tabs.getByRole('link', { name: 'Graph' }).getAttribute('aria-current')).to.equal('page');
    expect(await graph().locator('svg text').allTextContents()).to.have.members([
      'On success',
      'On success',
      'On failure',
      'Always',
      'Always',
    ]);
    const dash = (kind: string) =>
      graph()
        .locator(`path.graph-link.${kind}`)
        .first()
        .evaluate((path) => path.ownerDocument.defaultView!.getComputedStyle(path).strokeDasharray);
    expect(new Set(await Promise.all(['success', 'failure', 'always'].map(dash))).size).to.equal(3);
    expect(await node('Deploy').getAttribute('aria-label')).to.equal(
      'Deploy, Job template. On success: Shall it go live?. On failure: Roll back.',
    );
    expect(await node('Clean up').getAttribute('aria-label')).to.include('Waits for all before it.');
    // what follows stands to the right of what it follows
    const left = async (name: string) => (await node(name).boundingBox())!.x;
    expect(await left('Build')).to.be.lessThan(await left('Deploy'));
    expect(await left('Deploy')).to.be.lessThan(await left('Roll back'));
  });

  it('is walked along its links by arrow keys, and Enter opens', async () => {
    await stage.open(`/workflow_job_templates/${workflow}/graph`);
    await node('Build').waitFor();
    await tabTo(page, node('Build'));
    const press = async (key: string, name: string) => {
      await page.keyboard.press(key);
      await until(() => hasFocus(node(name)), 30_000, `${key} leads to ${name}`);
    };
    await press('End', 'Clean up');
    await press('ArrowRight', 'Clean up');
    await press('Home', 'Build');
    await press('ArrowLeft', 'Build');
    const [ask, back] = [
      (await node('Shall it go live?').boundingBox())!.y,
      (await node('Roll back').boundingBox())!.y,
    ];
    await node('Deploy').focus();
    await press('ArrowLeft', 'Build');
    await node('Roll back').focus();
    await press(ask < back ? 'ArrowUp' : 'ArrowDown', 'Shall it go live?');
    await press('ArrowRight', 'Clean up');
    // the graph is one stop: Tab leaves it
    await page.keyboard.press('Tab');
    expect(await graph().evaluate((box) => box.contains(box.ownerDocument.activeElement))).to.equal(false);
    await node('Build').focus();
    await page.keyboard.press('Enter');
    // those who may edit it see what can be done with the node, and from there its template
    await page.getByRole('heading', { name: 'Build', level: 2 }).waitFor();
    await page.getByRole('link', { name: 'Open the template' }).click();
    await page.getByRole('heading', { name: 'Build', level: 1 }).waitFor();
  });

  it('shows a run on the same picture as it goes on, with what was not run', async () => {
    rmSync(stage.release, { force: true });
    const run = await launch();
    await stage.open(`/workflow_jobs/${run}`);
    await inNode('Build', 'Successful');
    await inNode('Deploy', 'Running');
    await inNode('Clean up', 'Not started yet');
    expect(await node('Clean up').getAttribute('aria-disabled')).to.equal('true');
    writeFileSync(stage.release, '');
    await inNode('Deploy', 'Successful');
    await inNode('Shall it go live?', 'Waits for approval');
    await inNode('Roll back', 'Not run');
    const { body } = await stage.service.get(`workflow_approvals/?status=pending`);
    expect((await chief(`workflow_approvals/${body.results[0].id}/approve/`)).status).to.equal(204);
    await inNode('Shall it go live?', 'Approved');
    await inNode('Clean up', 'Successful');
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
    const rows = page.getByRole('table', { name: 'Nodes of this run' });
    await rows
      .getByRole('row', { name: /Roll back/ })
      .getByText('Not run')
      .waitFor();
    await node('Deploy').click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await page.getByRole('heading', { name: /^Deploy · Job/ }).waitFor();
  });

  it('says of a node that could not be launched why', async () => {
    const { id: template } = await stage.template('greet.yml', { name: 'Refused' });
    const { id: trying } = await stage.make('workflow_job_templates/', { name: 'Trying', organization: 1 });
    await builder(stage, trying).node(template);
    await stage.service.services.db.raw(`
      create function refuse_run() returns trigger language plpgsql as $$ begin raise exception 'not this one'; end $$;
      create trigger refused before insert on runs for each row when (new.name = 'Refused') execute function refuse_run();`);
    const { id: run } = await stage.make(`workflow_job_templates/${trying}/launch/`, {});
    await stage.open(`/workflow_jobs/${run}`);
    const row = page.getByRole('table', { name: 'Nodes of this run' }).getByRole('row', { name: /Refused/ });
    await row.getByText('Not launched').waitFor();
    await row.getByText('The service could not launch it because of an error, which its log tells.').waitFor();
  });

  it('is canceled after a question, and launched once more', async () => {
    rmSync(stage.release, { force: true });
    const run = await launch();
    await stage.open(`/workflow_jobs/${run}`);
    await inNode('Deploy', 'Running');
    await page.getByRole('button', { name: 'Cancel workflow' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel Release?' });
    await dialog.getByRole('button', { name: 'Cancel workflow' }).click();
    await page.locator('.page-head .status', { hasText: 'Canceled' }).waitFor();
    await inNode('Deploy', 'Canceled');
    await inNode('Clean up', 'Not run');
    writeFileSync(stage.release, '');
    await page.getByRole('button', { name: 'Relaunch', exact: true }).click();
    await page.waitForURL((url) => /\/workflow_jobs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${run}`));
    await inNode('Deploy', 'Successful');
    const again = Number(page.url().split('/').at(-1));
    expect((await stage.service.post(`workflow_jobs/${again}/cancel/`, {})).status).to.equal(202);
    await page.locator('.page-head .status', { hasText: 'Canceled' }).waitFor();
  });

  it('is launched once more from what failed: what went well before it is not done again', async () => {
    const [first, second] = [
      await stage.template('greet.yml', { name: 'First' }),
      await stage.template('failing.yml', { name: 'Second' }),
    ];
    const { id: mended } = await stage.make('workflow_job_templates/', { name: 'Mended', organization: 1 });
    const { node: step, follow } = builder(stage, mended);
    await follow(await step(first.id), 'success', await step(second.id));
    const { id: run } = await stage.make(`workflow_job_templates/${mended}/launch/`, {});
    await stage.open(`/workflow_jobs/${run}`);
    await page.locator('.page-head .status', { hasText: 'Failed' }).waitFor();
    await stage.service.request('PATCH', `job_templates/${second.id}/`, { body: { playbook: 'greet.yml' } });
    await page.getByRole('button', { name: 'Relaunch from what failed' }).click();
    await page.waitForURL((url) => /\/workflow_jobs\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${run}`));
    await page.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
    const jobs = async (name: string) => (await stage.service.get(`jobs/?name=${name}`)).body.count;
    expect([await jobs('First'), await jobs('Second')]).to.deep.equal([1, 2]);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has names, order and contrast, ${colorScheme}, and fits a narrow screen`, async () => {
      const other = await stage.fresh({ colorScheme, reducedMotion: 'reduce' });
      await stage.logIn(other);
      const { body } = await stage.service.get('workflow_jobs/?order_by=id');
      for (const path of [`/workflow_job_templates/${workflow}/graph`, `/workflow_jobs/${body.results[0].id}`]) {
        await other.goto(path);
        await other.getByRole('application').waitFor();
        expect(await violations(other), path).to.deep.equal([]);
        await other.setViewportSize({ width: 360, height: 740 });
        const width = await other.locator('html').evaluate((element) => element.scrollWidth);
        expect(width, path).to.be.at.most(360);
        await other.setViewportSize({ width: 1280, height: 800 });
      }
      await other.context().close();
    });
});
