import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { testPlugin } from '../support/plugins.ts';
import { openStage, type Stage } from './stage.ts';

const folder = new URL('./plugin-pages/', import.meta.url);
const windows = testPlugin('windows', (api) => {
  api.page({ path: '/windows', label: 'Windows', order: 120, module: new URL('windows.js', folder) });
  api.page({ path: '/broken', label: 'Broken', order: 130, module: new URL('broken.js', folder) });
  api.page({ path: '/late', label: 'Late', order: 135, module: new URL('late.js', folder) });
  api.pages({ path: '/own/', folder });
  api.nav({ path: '/own/', label: 'Own', order: 140 });
  api.nav({ path: '/nowhere', label: 'Nowhere', order: 145 });
});

describeWith(['chromium'], 'the console: pages of plugins', () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await openStage({}, { plugins: [windows] });
    page = stage.page;
    await stage.logIn();
  });
  after(() => stage?.stop());

  const menu = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });

  it('stand in the menu and load their code when somebody opens them, at their path and below', async () => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await stage.open('/jobs');
    expect(await menu('Nowhere').count()).to.equal(0);
    expect(asked.filter((path) => path.startsWith('/plugin-pages/'))).to.deep.equal([]);
    await menu('Windows').click();
    await heading('Windows').waitFor();
    await page.getByRole('main').getByRole('listitem').filter({ hasText: 'Production' }).waitFor();
    await page.getByText('admin at the start, any day').waitFor();
    expect(asked).to.include('/plugin-pages/windows/windows.js');
    expect(await page.title()).to.equal('Windows · Tapline');
    await stage.open('/windows/north?day=monday');
    await page.getByText('admin at /north, monday').waitFor();
    await menu('Jobs').click();
    await page.getByRole('status').filter({ hasText: 'The windows are left.' }).waitFor();
    await menu('Own').click();
    await page.getByRole('heading', { name: 'A page of its own' }).waitFor();
    expect(stage.problems()).to.deep.equal([]);
  });

  it('show what they throw in their own place, while the console lives', async () => {
    await stage.open('/broken');
    const alert = page.getByRole('alert');
    await alert.getByText('The hinge is <b>off</b>.').waitFor();
    expect(await alert.textContent()).to.contain('plugin windows failed');
    await menu('Recommendations').click();
    await heading('Recommendations').waitFor();
    await page.getByRole('main').getByRole('listitem').first().waitFor();
    expect(stage.problems().filter((problem) => !problem.includes('The hinge'))).to.deep.equal([]);
  });

  it('change nothing once they are left, however late their code or what it does comes', async () => {
    const problems = stage.problems();
    const body = page.locator('body');
    const said = (name: string) => body.getAttribute(`data-${name}`);
    const release = (rest: string) => body.dispatchEvent(`release${rest}`);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => void (answer = resolve));
    await page.route('**/plugin-pages/late/late.js', (route) => held.then(() => route.continue()));
    await stage.open('/late/first');
    await menu('Jobs').click();
    await heading('Jobs').waitFor();
    answer();
    await page.locator('body[data-loaded]').waitFor();
    await menu('Templates').click();
    await heading('Templates').waitFor();
    expect(await said('shown')).to.equal(null);

    // left while it shows: it is told so once, and neither leads elsewhere nor shows its error to somebody
    await menu('Late').click();
    await page.locator('body[data-shown=" "]').waitFor();
    for (const rest of ['/elsewhere', '/failing', '/last']) {
      await menu('Late').evaluate((link, to) => link.setAttribute('href', to), `/late${rest}`);
      await menu('Late').click();
      await page.locator(`body[data-shown$="${rest} "]`).waitFor();
    }
    for (const rest of ['', '/elsewhere', '/failing']) await release(rest);
    await page.locator('body[data-left=" /elsewhere "]').waitFor();
    expect(new URL(page.url()).pathname).to.equal('/late/last');
    expect(await page.getByRole('alert').count()).to.equal(0);
    await release('/last');
    await page.getByText('This is /last').waitFor();
    for (const gone of ['/elsewhere', '/failing']) expect(await page.getByText(`This is ${gone}`).count()).to.equal(0);
    await menu('Jobs').click();
    await page.locator('body[data-left=" /elsewhere /last "]').waitFor();
    expect(await page.getByText('This is').count()).to.equal(0);
    expect([...problems, ...stage.problems()].filter((problem) => !problem.includes('Too late'))).to.deep.equal([]);
  });

  it('leave neither code nor entry when the plugin is off', async () => {
    const other = await openStage({ TAPLINE_PLUGINS: 'console' });
    try {
      await other.logIn();
      await other.open('/windows');
      await other.page.getByRole('heading', { name: 'No page here' }).waitFor();
      const main = other.page.getByRole('navigation', { name: 'Main' });
      for (const name of ['Windows', 'Recommendations'])
        expect(await main.getByRole('link', { name, exact: true }).count()).to.equal(0);
      expect((await fetch(`${other.service.url}/plugin-pages/recommendations/recommendations.js`)).status).to.equal(
        404,
      );
    } finally {
      await other.stop();
    }
  });
});
