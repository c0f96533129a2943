import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { openStage, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: what needs somebody', () => {
  const password = 'long enough 1';
  let stage: Stage;
  let page: Page;

  /** asks for an approval as soon as it is launched */
  const asking = async (name: string): Promise<number> => {
    const { id } = await stage.make('workflow_job_templates/', {
      name: `Of ${name}`,
      organization: 1,
      allow_simultaneous: true,
    });
    const node = await stage.make(`workflow_job_templates/${id}/workflow_nodes/`, {});
    await stage.make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name });
    return id;
  };
  const waiting = async () => (await stage.service.get('workflow_approvals/?status=pending')).body.count;

  before(async () => {
    stage = await openStage();
    page = stage.page;
    const olga = (await stage.make('users/', { username: 'olga', password })).id;
    const give = async (workflow: number, role: string) => {
      const { object_roles: roles } = (await stage.service.get(`workflow_job_templates/${workflow}/`)).body
        .summary_fields;
      await stage.service.post(`roles/${roles[role].id}/users/`, { id: olga });
    };
    const [others, hers] = [await asking('For others?'), await asking('For olga?')];
    await give(others, 'read_role');
    await give(hers, 'approval_role');
    for (let i = 0; i < 6; i++) await stage.make(`workflow_job_templates/${others}/launch/`, {});
    await until(async () => (await waiting()) === 6);
    await stage.make(`workflow_job_templates/${hers}/launch/`, {});
    await until(async () => (await waiting()) === 7);
    for (let i = 1; i <= 7; i++) {
      const local_path = `broken${i}`;
      mkdirSync(join(stage.service.dataDir, 'projects', local_path));
      await stage.make('projects/', { name: `Broken ${i}`, organization: 1, local_path });
    }
    await stage.service.services.db('templates').whereLike('name', 'Broken %').update({ status: 'failed' });
    await stage.logIn();
  });
  after(() => stage?.stop());

  const needsOn = (on: Page) => on.getByRole('region', { name: /^Needs somebody/ });
  const heading = (on: Page) => needsOn(on).getByRole('heading').textContent();
  /** page by page, however few there are */
  const inPages = (on: Page) =>
    on.route('**/workflow_approvals/*&page_size=100', (route) =>
      route.continue({ url: route.request().url().replace('page_size=100', 'page_size=2') }),
    );

  it('finds among approvals that others decide the one that waits for who looks', async () => {
    const other = await stage.fresh();
    await inPages(other);
    await stage.logIn(other, 'olga', password);
    await needsOn(other).getByRole('link', { name: 'For olga? waits for a decision' }).waitFor();
    expect(await needsOn(other).getByRole('link').count()).to.equal(1);
    expect(await heading(other)).to.equal('Needs somebody 1');
    await other.context().close();
    expect(stage.problems()).to.deep.equal([]);
  });

  it('counts all, shows some, and leads to the rest', async () => {
    const other = await stage.fresh();
    await inPages(other);
    await stage.logIn(other);
    const needs = needsOn(other);
    await needs.getByRole('link', { name: 'All approvals that wait' }).waitFor();
    await needs.getByRole('link', { name: 'All 7 projects that could not be updated' }).waitFor();
    expect(await needs.getByRole('link', { name: /For .* waits for a decision/ }).count()).to.equal(5);
    expect(await needs.getByRole('link', { name: /^The project Broken/ }).count()).to.equal(5);
    // the seventh approval was not looked at
    expect(await heading(other)).to.equal('Needs somebody 13 or more');
    expect(await violations(other)).to.deep.equal([]);
    await needs.getByRole('link', { name: /^All 7 projects/ }).click();
    await other.getByRole('rowheader', { name: 'Broken 7' }).waitFor();
    expect(await other.getByRole('rowheader').count()).to.equal(7);
    await other.context().close();
    await stage.open('/');
    await until(async () => (await heading(page)) === 'Needs somebody 14');
    expect(stage.problems()).to.deep.equal([]);
  });

  it('says so where a part of it could not be read, and shows the others', async () => {
    const refused = (path: string) =>
      page.route(path, (route) => route.fulfill({ status: 503, json: { detail: 'Not now.' } }));
    await refused('**/workflow_approvals/*order_by=id*');
    await refused('**/unified_jobs/?status__in=failed*');
    await stage.open('/');
    const needs = needsOn(page);
    await needs.getByRole('alert').getByText('The list of what needs somebody could not be loaded').waitFor();
    await needs
      .getByRole('link', { name: /^The project Broken/ })
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Failed since yesterday' }).getByRole('alert').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.locator('.connection.open').waitFor();
    await page.unroute('**/workflow_approvals/*order_by=id*');
    await needs.getByRole('button', { name: 'Try again' }).click();
    await needs
      .getByRole('link', { name: /waits for a decision/ })
      .first()
      .waitFor();
    expect(await needs.getByRole('alert').count()).to.equal(0);
    await page.unroute('**/unified_jobs/?status__in=failed*');
    expect(stage.problems().filter((problem) => !problem.includes('status of 503'))).to.deep.equal([]);
  });

  it('means yesterday as it is by now, however long it has been looked at', async () => {
    const other = await stage.fresh();
    await other.clock.install();
    await stage.logIn(other);
    const asked = other.waitForRequest((request) => {
      const since = new URL(request.url()).searchParams.get('finished__gt');
      return since !== null && Date.parse(since) > Date.now() + 86_400_000;
    });
    await other.clock.fastForward(3 * 86_400_000);
    await asked;
    await other.context().close();
    stage.problems();
  });
});
