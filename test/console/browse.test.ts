import { expect } from 'chai';
import { describeWith } from '../support/needs.ts';
import { adminPassword } from '../support/service.ts';
import { env } from './every-page/furnish.ts';
import { openStage, type Stage } from './stage.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describeWith(['chromium'], 'the console: the API in a browser', () => {
  let stage: Stage;
  before(async () => (stage = await openStage({ TAPLINE_PLUGINS: env.TAPLINE_PLUGINS })));
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const mediaOf = async (path: string, accept: string) => {
    const answer = await fetch(`${stage.service.url}${path}`, { headers: { accept }, redirect: 'manual' });
    await answer.arrayBuffer();
    return [answer.status, answer.headers.get('content-type')?.split(';')[0]];
  };

  it('is a page for who opens a path, and JSON for every program', async () => {
    const path = '/api/v2/ping/';
    const json = [200, 'application/json'];
    const page = [200, 'text/html'];
    expect(await mediaOf(path, browser)).to.deep.equal(page);
    expect(await mediaOf(`${path}?format=api`, '*/*')).to.deep.equal(page);
    for (const accept of [
      '*/*',
      'application/json',
      'application/json, text/html',
      'application/json, text/plain, */*',
    ])
      expect(await mediaOf(path, accept), accept).to.deep.equal(json);
    expect(await mediaOf(`${path}?format=json`, browser)).to.deep.equal(json);
    // without anything of anybody in it: it is there for who is not logged in, as the console is
    expect(await mediaOf('/api/v2/jobs/', browser)).to.deep.equal(page);
    expect(await mediaOf('/api/v2/jobs/', 'application/json')).to.deep.equal([401, 'application/json']);
    // what is no JSON is what it is
    expect((await mediaOf('/api/docs/', browser))[0]).to.equal(302);
    expect((await mediaOf('/api/v2/no_such_thing/', browser))[0]).to.equal(404);
    expect((await mediaOf('/api/v2/ping', browser))[0]).to.equal(301);
  });

  it('asks to log in and comes back', async () => {
    const { page } = stage;
    await page.goto('/api/v2/organizations/?order_by=-id');
    await page.getByText('HTTP 401').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click();
    await page.waitForURL(/\/api\/login\//);
    await page.getByLabel(/user ?name/i).fill('admin');
    await page.getByLabel(/password/i).fill(adminPassword);
    await page.getByRole('button', { name: /log in/i }).click();
    await page.getByText('HTTP 200').waitFor();
    expect(new URL(page.url()).search).to.equal('?order_by=-id');
    await page.getByRole('heading', { name: 'Organization list', level: 1 }).waitFor();
  });

  it('leads from path to path by its links', async () => {
    const { page } = stage;
    await page.goto('/api/v2/');
    await page.getByRole('link', { name: '"/api/v2/inventories/"' }).click();
    await page.getByRole('heading', { name: 'Inventory list', level: 1 }).waitFor();
    await page
      .getByRole('link', { name: `"/api/v2/inventories/${stage.inventory}/"` })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Inventory', level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'inventories' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('Production');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/search=Production/);
    await page.getByText('1 record').waitFor();
  });

  it('shows every path of the root, those of plugins too', async () => {
    const { page } = stage;
    const { body } = await stage.service.get('');
    // what is no JSON is what it is
    const paths = Object.values<string>(body).filter((path) => path.startsWith('/api/v2/') && !/metrics/.test(path));
    expect(paths).to.include('/api/v2/policy_decisions/').and.have.length.greaterThan(70);
    for (const path of paths) {
      await page.goto(path);
      await page.getByText(/^HTTP \d+/).waitFor();
      expect(await page.getByText(/^HTTP 200/).count(), path).to.equal(1);
      expect(await page.getByRole('heading', { level: 1 }).textContent(), path).to.not.equal('');
    }
  });

  it('makes, changes and deletes by forms of the fields, and says what is wrong at each', async () => {
    const { page } = stage;
    await page.goto('/api/v2/labels/');
    const post = page.getByRole('region', { name: 'POST' });
    await post.getByRole('button', { name: 'POST' }).click();
    await page.getByText('HTTP 400').waitFor();
    await post.locator('[aria-invalid="true"]').first().waitFor();
    await post.getByLabel('Name').fill('urgent');
    await post.getByRole('combobox', { name: 'Organization' }).fill('Def');
    await page.getByRole('option', { name: 'Default' }).click();
    await post.getByRole('button', { name: 'POST' }).click();
    await page.getByText('HTTP 201').waitFor();

    await page.goto(`/api/v2/inventories/${stage.inventory}/`);
    const patch = page.getByRole('region', { name: 'PATCH' });
    await patch.getByLabel('Description').fill('what <b>shops</b> run on');
    await patch.getByRole('button', { name: 'PATCH' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('PATCH', { exact: true }).waitFor();
    await page.getByText('"what <b>shops</b> run on"').waitFor();
    const { body } = await stage.service.get(`inventories/${stage.inventory}/`);
    expect(body.description).to.equal('what <b>shops</b> run on');

    const { id } = await stage.make('inventories/', { name: 'Short-lived', organization: body.organization });
    await page.goto(`/api/v2/inventories/${id}/`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText(/HTTP 20[24]/).waitFor();
  });

  it('sends JSON as it was written', async () => {
    const { page } = stage;
    await page.goto('/api/v2/organizations/');
    const post = page.getByRole('region', { name: 'POST' });
    await post.getByRole('button', { name: 'JSON' }).click();
    const body = post.getByLabel('Body, as JSON');
    await body.fill('{"name": ');
    await post.getByRole('button', { name: 'POST' }).click();
    await page.getByText('HTTP 400').waitFor();
    await body.fill('{"name": "Written by hand"}');
    await post.getByRole('button', { name: 'POST' }).click();
    await page.getByText('HTTP 201').waitFor();
    expect((await stage.service.get('organizations/?name=Written+by+hand')).body.count).to.equal(1);
  });
});
