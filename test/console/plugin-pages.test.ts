import { field } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { testPlugin } from '../support/plugins.ts';
import { violations } from './axe.ts';
import { openStage, type Stage } from './stage.ts';

const folder = new URL('./plugin-pages/', import.meta.url);
const module = new URL('panels/panels.js', folder);
const migrations = () =>
  migrationFolder({
    '0001_racks.js': `await knex.schema.createTable('host_racks', (t) => {
      t.bigInteger('host_id').primary().references('hosts.id').onDelete('cascade');
      t.text('rack').notNullable().defaultTo('');
      t.text('rack_side').notNullable().defaultTo('front');
    });`,
  });
const windows = () =>
  testPlugin(
    'windows',
    (api) => {
      api.extend('host', {
        table: 'host_racks',
        fields: {
          rack: field.string({ help: 'Where the machine stands.' }),
          rack_side: field.choice(['front', 'back'], { default: 'front' }),
        },
      });
      api.page({
        path: '/windows',
        title: 'Windows',
        module: new URL('windows.js', folder),
        nav: { order: 120 },
        panels: [
          { on: 'host', title: 'Rack', module, export: 'Racked', order: 10 },
          { on: 'host', title: 'Balance', module, export: 'Shaky', order: 20 },
          { on: 'host', title: 'Nothing', module, export: 'Silent', order: 30 },
          { on: 'host', title: 'Gone', module, export: 'Missing', order: 40 },
          { on: 'job', title: 'Decisions', module, export: 'Decisions' },
        ],
      });
      api.page({
        path: '/broken',
        title: 'Broken',
        module: new URL('broken.js', folder),
        nav: { label: 'Broken', order: 130 },
      });
      // no module of pages, and not in the menu
      api.page({ path: '/senseless', title: 'Senseless', module });
      api.pages({ path: '/own/', folder });
      api.nav({ path: '/own/', label: 'Own', order: 140 });
      api.nav({ path: '/nowhere', label: 'Nowhere', order: 145 });
    },
    { migrations: migrations() },
  );

describeWith(['chromium'], 'the console: pages of plugins', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage({}, { plugins: [windows()] });
    page = stage.page;
    await stage.logIn();
  });
  after(async () => {
    await stage?.stop();
    removeMigrationFolders();
  });

  const menu = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  const loaded = (name: string) => page.locator('body').getAttribute(`data-${name}`);

  it('stand in the menu and load their code when somebody opens them, at their path and below', async () => {
    await stage.open('/jobs');
    await menu('Windows').waitFor();
    for (const name of ['Nowhere', 'Senseless']) expect(await menu(name).count()).to.equal(0);
    expect([await loaded('windows'), await loaded('panels')]).to.deep.equal([null, null]);
    await menu('Windows').click();
    await heading('Windows').waitFor();
    await page.getByText('admin, any day').waitFor();
    expect(await page.title()).to.equal('Windows · Tapline');
    // one Preact for all: its state and hooks work in what the console draws
    await page.getByRole('button', { name: 'Turned 0 times' }).click();
    await page.getByRole('button', { name: 'Turned 1 times' }).waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('main').getByRole('link', { name: 'Production' }).click();
    await heading(`Window ${stage.inventory}`).waitFor();
    await page.getByRole('status').filter({ hasText: 'The windows are left.' }).waitFor();
    expect(await loaded('panels')).to.equal(null);
    await page.getByRole('button', { name: 'On Monday' }).click();
    await page.getByText('admin, monday').waitFor();
    await page.goBack();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Windows' }).click();
    await page.getByText('admin, any day').waitFor();
    await stage.open('/windows/1/nowhere');
    await heading('No page here').waitFor();
    await menu('Own').click();
    await page.getByRole('heading', { name: 'A page of its own' }).waitFor();
    expect(stage.problems()).to.deep.equal([]);
  });

  it('show what they throw in their own place, while the console lives', async () => {
    await stage.open('/broken');
    const alert = page.getByRole('alert');
    await alert.getByText('The hinge is <b>off</b>.').waitFor();
    expect(await alert.textContent()).to.contain('page of the plugin windows failed');
    await stage.open('/senseless');
    await alert.getByText('exports no list "routes"').waitFor();
    await page.route('**/plugin-pages/broken/broken.js', (route) => route.abort());
    await stage.open('/broken');
    await alert.getByText('page of the plugin windows failed').waitFor();
    await page.unroute('**/plugin-pages/broken/broken.js');
    await menu('Recommendations').click();
    await heading('Recommendations').waitFor();
    await page.getByRole('main').getByRole('listitem').first().waitFor();
    const others = stage.problems().filter((problem) => !/hinge|broken\.js|ERR_FAILED/.test(problem));
    expect(others).to.deep.equal([]);
  });

  it('may be drawn by hand, and are held as any other', async () => {
    await stage.open('/windows/by-hand');
    await page.getByText('Drawn for <i>admin</i>').waitFor();
    await heading('By hand').waitFor();
    expect(await page.getByLabel('Pane').isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'Click' }).click();
    await page.getByText('Clicked.').waitFor();
    await page.getByLabel('Note').fill('Wash it');
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await menu('Windows').click();
    await leaving.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('Note').inputValue()).to.equal('Wash it');
    await menu('Windows').click();
    await leaving.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('Nobody draws any more.').waitFor();
    await page.getByText('admin, any day').waitFor();
    await stage.open('/windows/by-hand');
    await page.getByLabel('Note').waitFor();
    await menu('Windows').click();
    await page.getByText('admin, any day').waitFor();
    await stage.open('/windows/by-hand?off');
    const alert = page.getByRole('alert');
    await alert.getByText('The hand is <b>off</b>.').waitFor();
    expect(await alert.textContent()).to.contain('page of the plugin windows failed');
    await menu('Windows').click();
    await page.getByText('admin, any day').waitFor();
    const untold = (problem: string) => problem.includes('Nothing can be told of this');
    const problems = stage.problems();
    expect(problems.some(untold), 'a guard that fails is told of').to.equal(true);
    expect(problems.filter((problem) => !problem.includes('The hand') && !untold(problem))).to.deep.equal([]);
  });

  it('change nothing once they are left, however late their code comes', async () => {
    const other = await stage.fresh();
    await stage.logIn(other);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => void (answer = resolve));
    await other.route('**/plugin-pages/windows/windows.js', (route) => held.then(() => route.continue()));
    const to = (name: string) =>
      other.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
    await to('Windows');
    await other.getByText('Loading Windows').waitFor();
    await to('Jobs');
    await other.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    answer();
    await other.locator('body[data-windows]').waitFor();
    await to('Templates');
    await other.getByRole('heading', { name: 'Templates', level: 1 }).waitFor();
    expect(await other.getByText('The windows are left.').count()).to.equal(0);
    await other.context().close();
    expect(stage.problems()).to.deep.equal([]);
  });

  it('put panels on the pages of records, where a fault in one leaves all else as it is', async () => {
    const [host] = (await stage.service.get('hosts/?name=web1')).body.results;
    await stage.open('/inventories');
    expect(await loaded('panels')).to.equal(null);
    await stage.open(`/hosts/${host.id}`);
    await panel('Rack').getByText('web1 stands in no rack').waitFor();
    await panel('Gone').getByText('exports no component Missing').waitFor();
    expect(await panel('Nothing').count()).to.equal(0);
    expect(await loaded('windows')).to.equal(null);
    await panel('Balance').getByRole('button', { name: 'Push it' }).click();
    await panel('Balance').getByRole('alert').getByText('It fell over.').waitFor();
    expect(await panel('Balance').textContent()).to.contain('This panel of the plugin windows failed');
    expect(await violations(page)).to.deep.equal([]);
    await panel('Rack').getByRole('button', { name: 'Mark it' }).click();
    await page.getByText('Marked.', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await heading('Edit web1').waitFor();
    expect(stage.problems().filter((problem) => !problem.includes('It fell over'))).to.deep.equal([]);
  });

  it('have the fields of plugins in forms, as OPTIONS tells of them', async () => {
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('textbox', { name: /^Rack/ }).fill('B 12');
    await page.getByText('Where the machine stands.').waitFor();
    await page.getByRole('combobox', { name: /^Rack side/ }).selectOption('back');
    await page.getByRole('button', { name: 'Save' }).click();
    await panel('Rack').getByText('web1 stands in B 12').waitFor();
    expect((await stage.service.get('hosts/?name=web1')).body.results[0]).to.include({
      rack: 'B 12',
      rack_side: 'back',
    });
    expect(stage.problems()).to.deep.equal([]);
  });

  it('put panels on the page of a run', async () => {
    const { id } = await stage.template('greet.yml');
    const { job } = await stage.make(`job_templates/${id}/launch/`, {});
    await stage.open(`/jobs/${job}`);
    await panel('Decisions').getByText(`Run ${job} was allowed.`).waitFor();
    await stage.open(`/templates/${id}`);
    expect(await panel('Decisions').count()).to.equal(0);
    expect(stage.problems()).to.deep.equal([]);
  });

  it('are made of parts that a page of the console shows, as they look and work', async () => {
    await stage.open('/kit');
    await heading('Console kit').waitFor();
    const parts = page.getByRole('main').getByRole('region');
    await panel('List of a resource').getByRole('link', { name: 'Default' }).waitFor();
    await panel('Capabilities and live').getByText('admin may change this account').waitFor();
    expect(await parts.count()).to.be.greaterThan(9);
    const added = panel('Diff').getByRole('listitem').filter({ hasText: 'added:' });
    expect(await added.allTextContents()).to.deep.equal(['+ added: port: 443', '+ added: tls: true']);
    expect(await panel('Chart').getByRole('row').allTextContents()).to.deep.equal([
      'Monday 1,200',
      'Tuesday 450',
      'Wednesday 0',
    ]);
    await panel('Form').getByRole('button', { name: 'Save' }).click();
    await panel('Form').getByText('This field may not be blank.').waitFor();
    await panel('Toast and dialog').getByRole('button', { name: 'Ask' }).click();
    const dialog = page.getByRole('dialog', { name: 'Shall it be so?' });
    await dialog.waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await panel('List of a resource').getByRole('searchbox').fill('Nobody');
    await panel('List of a resource').getByRole('searchbox').press('Enter');
    await page.getByText('No organization fits.').waitFor();
    expect(new URL(page.url()).search).to.contain('search=Nobody');
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  });

  it('leave neither code nor entry nor panel when the plugin is off', async () => {
    const other = await openStage({ TAPLINE_PLUGINS: 'console' });
    try {
      await other.logIn();
      await other.open('/windows');
      await other.page.getByRole('heading', { name: 'No page here' }).waitFor();
      const main = other.page.getByRole('navigation', { name: 'Main' });
      for (const name of ['Windows', 'Recommendations'])
        expect(await main.getByRole('link', { name, exact: true }).count()).to.equal(0);
      const [host] = (await other.service.get('hosts/')).body.results;
      await other.open(`/hosts/${host.id}`);
      await other.page.getByText('Enabled', { exact: true }).waitFor();
      expect(await other.page.locator('.panel').count()).to.equal(0);
      expect((await other.service.get('console_pages/')).body.count).to.equal(0);
      expect((await fetch(`${other.service.url}/plugin-pages/recommendations/recommendations.js`)).status).to.equal(
        404,
      );
    } finally {
      await other.stop();
    }
  });
});
