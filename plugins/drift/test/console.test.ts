import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import { until } from '../../../test/support/until.ts';
import drift from '../index.ts';
import { furnish, type Shop } from './furnish.ts';

describeWith(['chromium'], 'drift in the console', () => {
  let stage: Stage;
  let page: Page;
  let shop: Shop;

  before(async () => {
    stage = await openStage({ TAPLINE_PLUGINS: 'console' }, { plugins: [drift] });
    page = stage.page;
    shop = await furnish(stage);
    await stage.logIn();
  });
  after(() => stage?.stop());

  const rows = (name: string) => page.getByRole('table', { name, exact: true }).locator('tbody tr');
  const changes = () => rows('List of changes');
  const counted = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
  const tab = (name: string) => page.getByRole('navigation', { name: 'Drift' }).getByRole('link', { name });
  const pick = async (label: string, name: string) => {
    await page.getByRole('combobox', { name: label }).fill(name);
    await page.getByRole('option', { name }).first().click();
  };
  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };

  it('lists changes, tells how many there are by host, category and day, and each leads to those', async () => {
    await stage.open('/drift');
    await changes().first().waitFor();
    expect(await changes().count()).to.equal(4);
    await counted('4 changes, 4 not acknowledged');
    // what a host says of itself is a text
    await page.getByRole('link', { name: 'motd changed from hello to <b>hello</b>' }).waitFor();
    await clean();
    const narrowed = async (chart: string, bar: string, left: number) => {
      await page.getByRole('table', { name: chart }).getByRole('link', { name: bar }).click();
      await until(async () => (await changes().count()) === left);
      await page
        .getByRole('link', { name: /^Remove filter/ })
        .first()
        .waitFor();
      await stage.open('/drift');
      await until(async () => (await changes().count()) === 4);
    };
    await narrowed('By host', 'shop-db', 1);
    await narrowed('By category', 'Services', 1);
    await narrowed('By severity', 'Critical', 2);
    await narrowed('By day', new Date().toISOString().slice(0, 10), 4);
  });

  it('narrows by filters that stand as chips, and reads the list again when a host drifts', async () => {
    await page.getByLabel('Filter by').selectOption({ label: 'Category' });
    await page.getByLabel('Value of Category').selectOption('services');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await until(async () => (await changes().count()) === 1);
    await page.getByRole('list', { name: 'Filters' }).getByText('Category: services').waitFor();
    await clean();
    // more than a page of inventories, of which the shop's is the last
    await stage.service.services.db.raw(
      `insert into inventories (name, organization_id) select '! ' || n, 1 from generate_series(1, 200) n`,
    );
    const { results } = (await stage.service.get('inventories/?page_size=200')).body;
    expect(results.map(({ id }: { id: number }) => id)).not.to.include(stage.inventory);
    await stage.open('/drift?category=services');
    await until(async () => (await changes().count()) === 1);
    await shop.change(shop.web, { ...shop.facts, services: { nginx: 'stopped', ssh: 'stopped' } });
    await until(async () => (await changes().count()) === 2);
    await counted('2 changes, 2 not acknowledged');
  });

  it('shows one with before and after, acknowledges it and launches what puts it right', async () => {
    await page.getByRole('link', { name: 'services/nginx changed from running to stopped' }).click();
    const diff = page.getByRole('list', { name: 'Before and after' });
    await diff.getByText('removed: "nginx": "running"').waitFor();
    await diff.getByText('added: "nginx": "stopped"').waitFor();
    await page.getByText('none of our runs changed anything there meanwhile').waitFor();
    await clean();
    await page.getByRole('button', { name: /^Acknowledge/ }).click();
    await page.locator('dd').filter({ hasText: 'admin' }).waitFor();
    await stage.template('greet.yml', { name: 'mend', ask_limit_on_launch: true });
    await page.getByRole('button', { name: 'Put right' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Launch for this host' }).click();
    await dialog.getByText('Name one: no rule about this drift does.').waitFor();
    await clean();
    await pick('Job template', 'mend');
    await dialog.getByRole('button', { name: 'Launch for this host' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Put right by mend: ' }).waitFor();
    await clean();
  });

  it('offers to whoever reads the change and may launch a template what puts it right, and nothing else', async () => {
    const { get, post } = stage.service;
    const { id: user } = await stage.make('users/', { username: 'ann', password: 'Ann-has-1-secret' });
    const [mend] = (await get('job_templates/?name=mend')).body.results;
    for (const [path, role] of [
      [`inventories/${stage.inventory}`, 'read_role'],
      [`job_templates/${mend.id}`, 'execute_role'],
    ] as const) {
      const { results } = (await get(`${path}/object_roles/?role_field=${role}`)).body;
      expect((await post(`users/${user}/roles/`, { id: results[0].id })).status).to.equal(204);
    }
    const [change] = (await get(`drift_detections/?host=${shop.db}&category=kernel`)).body.results;
    const theirs = await stage.fresh();
    await stage.logIn(theirs, 'ann', 'Ann-has-1-secret');
    await theirs.goto(`/drift/${change.id}`);
    await theirs.getByRole('button', { name: 'Put right' }).click();
    expect(await theirs.getByRole('button', { name: /^Acknowledge/ }).count()).to.equal(0);
    await theirs.getByRole('combobox', { name: 'Job template' }).fill('mend');
    await theirs.getByRole('option', { name: 'mend' }).click();
    await theirs.getByRole('button', { name: 'Launch for this host' }).click();
    await theirs.getByRole('paragraph').filter({ hasText: 'Put right by mend: ' }).waitFor();
    await theirs.context().close();
    await clean();
  });

  it('acknowledges those that are selected, and all that the filters leave, and asks before', async () => {
    await stage.open('/drift?host__name__icontains=shop-web&category=kernel');
    await page.getByRole('checkbox', { name: /^Select kernel changed/ }).check();
    await page.getByRole('button', { name: 'Acknowledge those selected' }).click();
    await page.getByRole('dialog', { name: 'Acknowledge 1 change?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Acknowledge those selected' }).click();
    await clean();
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await counted('1 change, 0 not acknowledged');
    await stage.open('/drift?host__name__icontains=shop-db');
    await page.getByRole('button', { name: 'Acknowledge all 1' }).click();
    // what comes while it is asked was seen by nobody
    await shop.change(shop.db, { kernel: '6.1.0-21', services: { postgres: 'stopped' } });
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await counted('2 changes, 1 not acknowledged');
    const { body } = await stage.service.get('drift_detections/summary/');
    expect(body.unacknowledged).to.equal(3);
  });

  it('compares two snapshots side by side, of two hosts as well', async () => {
    await tab('Compare').click();
    const choose = async (side: string, host: string) => {
      await pick(`${side} host`, host);
      const control = page.getByLabel(`${side} snapshot`);
      await until(async () => (await control.locator('option').count()) > 1);
      await control.selectOption({ index: 1 });
    };
    await choose('First', 'shop-web');
    await choose('Second', 'shop-db');
    await counted('2 facts differ.');
    const services = rows('Differences').filter({ hasText: 'services/nginx' });
    expect(await services.locator('td').nth(2).textContent()).to.include('stopped');
    expect(await services.locator('td').nth(3).textContent()).to.equal('missing');
    await clean();
    // of one host, by the address: both sides say which
    const { body } = await stage.service.get(`fact_snapshots/?host=${shop.web}&order_by=id`);
    const [first, second] = body.results;
    await stage.open(`/drift/compare?a=${first.id}&b=${second.id}`);
    await counted('3 facts differ.');
    await until(async () => (await page.getByRole('combobox', { name: 'Second host' }).inputValue()) === 'shop-web');
  });

  it('makes a rule, says what it would have done last week, switches it off and deletes it', async () => {
    await tab('Rules').click();
    await page.getByText('There is no rule yet.').waitFor();
    await page.getByRole('link', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Kernels of the shop');
    await pick('Organization', 'Default');
    await pick('Notification template', 'Operations');
    await page.getByLabel('Host filter').fill('shop-*');
    await page.getByRole('checkbox', { name: 'Kernel' }).check();
    await clean();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Kernels of the shop', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Last week' }).click();
    await counted('Kernels of the shop would have fired 2 times in the last 7 days.');
    expect(await rows('When it would have fired').count()).to.equal(2);
    await clean();
    await page.getByRole('button', { name: /^Disable/ }).click();
    await page.getByRole('button', { name: /^Enable/ }).click();
    await page.getByRole('button', { name: /^Disable/ }).waitFor();
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByText('There is no rule yet.').waitFor();
    await tab('Alerts').click();
    await page.getByText('There is no alert yet.').waitFor();
    await clean();
  });

  it('tells on the page of a host what changed there, and leads to its timeline', async () => {
    const { body } = await stage.service.get(`fact_snapshots/?host=${shop.web}&order_by=id`);
    await stage.open(`/drift/snapshots/${body.results[0].id}`);
    await page.getByRole('button', { name: 'Pin as baseline' }).click();
    await page.getByText('shop-web is compared with it from now on.').waitFor();
    await stage.open(`/hosts/${shop.web}`);
    const panel = page.getByRole('region', { name: 'Drift' });
    await panel.getByText('2 changes not acknowledged.').waitFor();
    await panel.getByText('It differs from its baseline in 3 facts').waitFor();
    await clean();
    const command = await commandOn(shop.web);
    await panel.getByRole('link', { name: 'Timeline' }).click();
    await rows('Timeline').filter({ hasText: 'kernel changed from 6.1.0-18 to 6.1.0-21' }).waitFor();
    await clean();
    await page.getByLabel('Until').fill('2020-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Nothing happened there in that time.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /^uptime: successful, 1 changed/ }).click();
    await page.waitForURL(`**/ad_hoc_commands/${command}`);
    await page
      .getByRole('heading', { name: /uptime/ })
      .first()
      .waitFor();
    await clean();
  });

  it('says on a timeline what could not be read, which is not that there is too much', async () => {
    const timeline = /\/api\/v2\/hosts\/\d+\/timeline\//;
    await page.route(timeline, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), complete: false, failed: ['drift'] } });
    });
    await stage.open(`/drift/hosts/${shop.web}`);
    await page.getByText('Could not be read now and is missing: Drift.').waitFor();
    await rows('Timeline').first().waitFor();
    expect(await page.getByText(/^Only the newest/).count()).to.equal(0);
    await page.unroute(timeline);
    await clean();
  });

  /** An ad hoc command that ran there. */
  async function commandOn(host_id: number): Promise<number> {
    const { db } = stage.service.services;
    const at = new Date();
    const ended = { status: 'successful', started: at, finished: at };
    const [{ id }] = await db('runs')
      .insert({ kind: 'ad_hoc_command', name: 'uptime', organization_id: 1, inventory_id: stage.inventory, ...ended })
      .returning('id');
    await db.raw('select ensure_event_partition(?)', [id]);
    await db('run_events').insert({
      run_id: id,
      host_id,
      counter: 1,
      event: 'runner_on_ok',
      changed: true,
      stdout: '',
    });
    return id;
  }

  it('lists on the page of a group what differs from most of it', async () => {
    const { id: group } = await stage.make('groups/', { name: 'shop', inventory: stage.inventory });
    const { id: third } = await stage.make(`groups/${group}/hosts/`, {
      name: 'shop-web-2',
      inventory: stage.inventory,
    });
    await shop.change(third, { ...shop.facts, services: { nginx: 'stopped', ssh: 'stopped' } });
    for (const id of [shop.web, shop.db]) await stage.service.post(`groups/${group}/hosts/`, { id });
    await stage.open(`/groups/${group}`);
    await page.getByRole('region', { name: 'Outliers' }).getByRole('table').waitFor();
    expect(await rows('Outliers').filter({ hasText: 'shop-db' }).textContent()).to.include('services');
    await clean();
  });
});
