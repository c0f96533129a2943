import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
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
    await until(() => box('Greet').isChecked());
    const left = (await stage.service.get('jobs/')).body.results.map(({ id }: { id: number }) => id);
    expect(left).to.deep.equal([kept.id]);
    await page.unroute(`**${kept.url}`);
    await bulk().getByRole('button', { name: 'Delete 1' }).click();
    await dialog().getByRole('button', { name: 'Delete 1 run' }).click();
    await page.getByText('Nothing has run yet.').waitFor();
  });

  it('are chosen on all pages of a list as it is then; it waits where the service cannot, and tells what was refused', async () => {
    const shelves = Array.from({ length: 60 }, (_, i) => ({ name: `shelf-${i}` }));
    expect(
      (await stage.service.post('bulk/host_create/', { inventory: stage.inventory, hosts: shelves })).status,
    ).to.equal(201);
    const [first, second] = (await stage.service.get('hosts/?name__startswith=shelf&order_by=id')).body.results;
    await page.route(`**${first.url}`, (route) => route.fulfill({ status: 409, json: { detail: 'It is in use.' } }));
    await page.route(
      `**${second.url}`,
      (route) => route.fulfill({ status: 503, json: { detail: 'The database is away.' } }),
      {
        times: 1,
      },
    );
    const { results: ends } = (await stage.service.get('hosts/?name__startswith=shelf&order_by=-id')).body;
    let lost = false;
    await page.route(`**${ends[9].url}`, async (route) => {
      if (lost) return route.continue();
      lost = true;
      await route.fetch();
      return route.abort('connectionreset');
    });
    await stage.open('/hosts?name__icontains=shelf');
    const chosen = page.getByRole('group', { name: 'Selected hosts' });
    await box('all of this page').check();
    await chosen.getByText('25 of 25 selected').waitFor();
    await chosen.getByRole('button', { name: 'Select all 60 hosts that fit' }).click();
    await chosen.getByText('All 60 hosts that fit are selected').waitFor();
    await stage.make('hosts/', { name: 'shelf-late', inventory: stage.inventory });
    await chosen.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog', { name: 'Delete 60 hosts?' }).waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await dialog().getByRole('button', { name: 'Delete 60 hosts' }).click();
    await dialog().getByRole('alert').getByText('The database is away.').waitFor();
    expect(stage.problems().join()).to.include('503');
    await dialog().getByRole('button', { name: 'Go on' }).click();
    await dialog().getByRole('alert').getByText('The service cannot be reached.').waitFor();
    expect(stage.problems().join()).to.include('ERR_CONNECTION_RESET');
    await dialog().getByRole('button', { name: 'Go on' }).click();
    await page.getByText('59 hosts are deleted.').waitFor();
    expect(await dialog().getByRole('alert').getByRole('listitem').allTextContents()).to.deep.equal([
      'shelf-0: It is in use.',
    ]);
    await dialog().getByRole('button', { name: 'Close' }).click();
    await chosen.getByText('1 of 2 selected').waitFor();
    const { results } = (await stage.service.get('hosts/?order_by=id')).body;
    expect(results.map(({ name }: { name: string }) => name)).to.deep.equal([
      'localhost',
      'web1',
      'shelf-0',
      'shelf-late',
    ]);
  });

  it('are ten thousand, too: the page finds them all, and does it with each', async () => {
    const { db } = stage.service.services;
    await db.raw(`insert into hosts (name, inventory_id) select 'crate-' || n, ? from generate_series(1, 10000) n`, [
      stage.inventory,
    ]);
    await stage.open('/hosts?name__icontains=crate');
    // nothing is done with them here: what the service makes of each is tried elsewhere
    await page.evaluate(() => {
      const here = globalThis as any;
      const { fetch } = here;
      here.deleted = new Set();
      here.fetch = (path: string, init: any) => {
        if (init?.method !== 'DELETE') return fetch(path, init);
        here.deleted.add(path);
        return Promise.resolve(new Response(null, { status: 204 }));
      };
    });
    const chosen = page.getByRole('group', { name: 'Selected hosts' });
    await box('all of this page').check();
    await chosen.getByRole('button', { name: 'Select all 10,000 hosts that fit' }).click();
    await chosen.getByText('All 10,000 hosts that fit are selected').waitFor();
    await chosen.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog', { name: 'Delete 10,000 hosts?' }).waitFor();
    // of so many the first are named
    expect(await dialog().getByRole('listitem').count()).to.be.within(1, 100);
    expect(await violations(page)).to.deep.equal([]);
    await dialog().getByRole('button', { name: 'Delete 10,000 hosts' }).click();
    await page.getByText('10,000 hosts are deleted.').waitFor();
    expect(await page.evaluate(() => (globalThis as any).deleted.size)).to.equal(10_000);
    await db('hosts').where('name', 'like', 'crate-%').delete();
  });

  it('lead to the first page where all of the last one are deleted, as an old address of a page does', async () => {
    const pegs = Array.from({ length: 30 }, (_, i) => ({ name: `peg-${String(i).padStart(2, '0')}` }));
    const made = await stage.service.post('bulk/host_create/', { inventory: stage.inventory, hosts: pegs });
    expect(made.status).to.equal(201);
    await stage.open('/hosts?name__icontains=peg&page=2');
    await page.getByText('Page 2 of 2').waitFor();
    await box('all of this page').check();
    await page.getByRole('group', { name: 'Selected hosts' }).getByRole('button', { name: 'Delete 5' }).click();
    await dialog().getByRole('button', { name: 'Delete 5 hosts' }).click();
    await page.getByText('5 hosts are deleted.').waitFor();
    await page.getByText('25 hosts', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'peg-00' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?name__icontains=peg');
    for (const path of ['/hosts?page=9', '/jobs?show=active&page=9']) {
      await stage.open(path);
      await until(() => !page.url().includes('page=9'));
      expect(await page.getByText('There is no such').count()).to.equal(0);
    }
    await stage.service.services.db('hosts').where('name', 'like', 'peg-%').delete();
    expect(stage.problems().filter((problem) => !problem.includes('404'))).to.deep.equal([]);
  });

  it('can be stopped: what was not begun stays, and what got no answer is named', async () => {
    const bolts = Array.from({ length: 20 }, (_, i) => ({ name: `bolt-${i}` }));
    expect(
      (await stage.service.post('bulk/host_create/', { inventory: stage.inventory, hosts: bolts })).status,
    ).to.equal(201);
    const held: (() => Promise<void>)[] = [];
    let unanswered: () => Promise<void>;
    await page.route('**/api/v2/hosts/*/', (route) => {
      if (!held.length)
        unanswered = async () => {
          await route.fetch();
          await route.abort('connectionreset');
        };
      held.push(() => route.continue());
    });
    await stage.open('/hosts?name__icontains=bolt');
    await box('all of this page').check();
    await page.getByRole('button', { name: 'Delete 20' }).click();
    await dialog().getByRole('button', { name: 'Delete 20 hosts' }).click();
    await until(() => held.length === 4);
    await page.keyboard.press('Escape');
    await page.unroute('**/api/v2/hosts/*/');
    for (const goOn of held.slice(1)) await goOn();
    await unanswered!();
    await dialog().getByText('Stopped: 16 hosts stay as they were.').waitFor();
    expect(await dialog().getByRole('list', { name: 'Without an answer' }).getByRole('listitem').count()).to.equal(1);
    expect(stage.problems().join()).to.include('ERR_CONNECTION_RESET');
    await dialog().getByRole('button', { name: 'Close' }).click();
    await page.getByText('16 of 16 selected').waitFor();
    expect((await stage.service.get('hosts/?name__startswith=bolt')).body.count).to.equal(16);
  });
});
