/** Makes the pictures of workflows, approvals and schedules: `node test/console/workflow-screenshots.ts`. */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.ts';
import { until } from '../support/until.ts';
import { builder } from './nodes.ts';
import { pictures } from './picture.ts';
import { openStage, type Stage } from './stage.ts';

const chief = { auth: 'chief:long enough 1' };

const fresh = (stage: Stage): Promise<Page> =>
  stage.fresh({ viewport: { width: 1280, height: 800 }, timezoneId: 'Europe/Berlin' });

/** A release: built and tested, deployed where both went well, and shown to people once somebody has agreed. */
async function release(stage: Stage): Promise<number> {
  const extra_vars = JSON.stringify({ release: stage.release });
  const template = async (playbook: string, name: string, more = {}): Promise<number> =>
    (await stage.template(playbook, { name, ask_limit_on_launch: true, ...more })).id;
  const { id: workflow } = await stage.make('workflow_job_templates/', { name: 'Release the shop', organization: 1 });
  const { node, approval, follow } = builder(stage, workflow);
  const deploys = await template('held.yml', 'Deploy to the first hosts', { extra_vars });
  const build = await node(await template('greet.yml', 'Build'));
  const lint = await node(await template('failing.yml', 'Look for known holes'));
  const test = await node(await template('greet.yml', 'Test'));
  const report = await node(await template('greet.yml', 'Report what was found'));
  const deploy = await node(deploys, { all_parents_must_converge: true, max_retries: 2 });
  const live = await approval('Shall it go live?', { required_approvals: 1, timeout: 86_400 });
  const everywhere = await node(await template('greet.yml', 'Deploy everywhere'));
  const undo = await node(await template('greet.yml', 'Roll back'));
  await follow(build, 'success', test);
  await follow(build, 'success', lint);
  await follow(lint, 'failure', report);
  await follow(lint, 'always', deploy);
  await follow(test, 'success', deploy);
  await follow(deploy, 'success', live);
  await follow(deploy, 'failure', undo);
  await follow(live, 'success', everywhere);
  await follow(live, 'failure', undo);
  return workflow;
}

async function workflows(stage: Stage, page: Page): Promise<void> {
  const workflow = await release(stage);
  const launch = async () => (await stage.make(`workflow_job_templates/${workflow}/launch/`, {})).id as number;
  const graph = page.getByRole('application', { name: 'Graph of Release the shop' });
  const node = (name: string) => graph.locator(`[data-node][aria-label^="${name},"]`);
  await page.goto(`/workflow_jobs/${await launch()}`);
  await node('Deploy to the first hosts').getByText('Running', { exact: true }).waitFor();
  await node('Report what was found').getByText('Successful', { exact: true }).waitFor();
  await pictures(page, 'workflow-run');

  await page.goto(`/workflow_job_templates/${workflow}/graph`);
  await node('Deploy to the first hosts').click();
  await page.getByRole('heading', { name: 'Deploy to the first hosts', level: 2 }).waitFor();
  await pictures(page, 'workflow-editor');

  writeFileSync(stage.release, '');
  const waiting = async (): Promise<{ id: number }[]> =>
    (await stage.service.get('workflow_approvals/?status=pending&order_by=id')).body.results;
  await until(async () => (await waiting()).length === 1);
  await stage.service.post(`workflow_approvals/${(await waiting())[0]!.id}/approve/`, { comment: 'Tried it.' }, chief);
  await launch();
  await until(async () => (await waiting()).length === 1);
  const other = await fresh(stage);
  await stage.logIn(other, 'chief', 'long enough 1');
  await other.goto('/approvals');
  await other.getByRole('button', { name: 'Approve Shall it go live?' }).waitFor();
  await pictures(other, 'approvals');
}

async function schedule(page: Page, template: number): Promise<void> {
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await page.goto(`/schedules/new?unified_job_template=${template}`);
  await field('Name').fill('Patch the shop');
  await field('Start').fill('2030-01-15T06:30');
  await field('Time zone').selectOption('Europe/Berlin');
  await field('Repeated by').selectOption('Weeks');
  await field('Every how many weeks').fill('2');
  await field('Monday').check();
  await field('Friday').check();
  const next = page.getByRole('region', { name: 'Next runs' });
  await next.getByText('Friday, 18 January 2030').waitFor();
  await next.scrollIntoViewIfNeeded();
  await pictures(page, 'schedule');
}

await mochaGlobalSetup();
const stage = await openStage({ TAPLINE_PLUGINS: 'console' });
try {
  await stage.make('users/', { username: 'chief', password: 'long enough 1', is_superuser: true });
  const page = await fresh(stage);
  await stage.logIn(page);
  await workflows(stage, page);
  const patch = (await stage.template('greet.yml', { name: 'Patch every host' })).id;
  await schedule(page, patch);
} finally {
  await stage.stop();
  await mochaGlobalTeardown();
}
