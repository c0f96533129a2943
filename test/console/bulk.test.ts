import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { openStage, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: several runs at once', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const box = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^Select ${name}`) });
  const bulk = () => page.getByRole('group', { name: 'Selected runs' });
  const dialog = () => page.getByRole('dialog');
  const launch = async (template: number) => (await stage.make(`job_templates/${template}/launch/`, {})).job as number;
  const statusOf = async (id: number) => (await stage.service.get(`jobs/${id}/`)).body.status;

  it('are canceled after a question that names them, but for those that ended', async () => {
    const hold = await stage.template('held.yml', {
      name: 'Hold',
      allow_simultaneous: true,
      extra_vars: JSON.stringify({ release: stage.release }),
    });
    const { id: greet } = await stage.template('greet.yml', { name: 'Greet' });
    rmSync(stage.release, { force: true });
    const over = await launch(greet);
    await until(async () => (await statusOf(over)) === 'successful');
    const held = [await launch(hold.id), await launch(hold.id)];
    await until(async () => (await Promise.all(held.map(statusOf))).every((status) => status === 'running'));
    await stage.open('/jobs');
    await bulk().getByText('None selected').waitFor();
    expect(
      await bulk()
        .getByRole('button', { name: /^Cancel/ })
        .isDisabled(),
    ).to.equal(true);
    await box('all of this page').check();
    await bulk().getByText('3 of 3 selected').waitFor();
    await bulk().getByRole('button', { name: 'Cancel 2' }).click();
    await page.getByRole('dialog', { name: 'Cancel 2 runs?' }).waitFor();
    expect(await dialog().getByRole('listitem').count()).to.equal(2);
    await dialog().getByRole('button', { name: 'Keep them' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await Promise.all(held.map(statusOf))).to.deep.equal(['running', 'running']);
    await bulk().getByRole('button', { name: 'Cancel 2' }).click();
    await dialog().getByRole('button', { name: 'Cancel 2 runs' }).click();
    await page.getByText('2 runs are asked to end.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    await bulk().getByText('None selected').waitFor();
    await until(async () => (await Promise.all(held.map(statusOf))).every((status) => status === 'canceled'));
    expect(await statusOf(over)).to.equal('successful');
    writeFileSync(stage.release, '');
  });

  it('are deleted one after the other, and what is refused is told with its reason and stays selected', async () => {
    const { results } = (await stage.service.get('jobs/?order_by=id')).body;
    const [kept] = results;
    await page.route(`**${kept.url}`, (route) =>
      route.fulfill({ status: 409, json: { detail: 'Somebody looks at it just now.' } }),
    );
    await stage.open('/jobs');
    await box('all of this page').check();
    await bulk().getByRole('button', { name: 'Delete 3' }).click();
    await dialog().getByRole('button', { name: 'Delete 3 runs' }).click();
    const alert = dialog().getByRole('alert');
    await alert.waitFor();
    expect(await alert.getByRole('listitem').allTextContents()).to.deep.equal([
      `Greet (Job ${kept.id}): Somebody looks at it just now.`,
    ]);
    await page.getByText('2 runs are deleted.').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
    await bulk().getByText('1 of 1 selected').waitFor();
    expect(await box('Greet').isChecked()).to.equal(true);
    const left = (await stage.service.get('jobs/')).body.results.map(({ id }: { id: number }) => id);
    expect(left).to.deep.equal([kept.id]);
    await page.unroute(`**${kept.url}`);
    await bulk().getByRole('button', { name: 'Delete 1' }).click();
    await dialog().getByRole('button', { name: 'Delete 1 run' }).click();
    await page.getByText('Nothing has run yet.').waitFor();
  });
});
