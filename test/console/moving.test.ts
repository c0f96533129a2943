import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeWith } from '../support/needs.ts';
import { adminPassword } from '../support/service.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { hasFocus, openStage, type Stage } from './stage.ts';

/** A proxy that passes requests on and, as some in companies do, refuses every WebSocket. */
async function refusingProxy(to: string): Promise<{ url: string; server: Server }> {
  const { hostname, port } = new URL(to);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.on('upgrade', (_incoming, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describeWith(['chromium'], 'the console: move about, and lose nothing on the way', () => {
  let stage: Stage;
  let page: Page;
  let held: number;
  before(async () => {
    stage = await openStage();
    page = stage.page;
    held = (await stage.template('held.yml', { name: 'Hold', extra_vars: JSON.stringify({ release: stage.release }) }))
      .id;
    await stage.template('greet.yml', { name: 'Greet' });
    const inventory = (await stage.make('inventories/', { name: 'Databases', organization: 1 })).id;
    for (const name of ['db1', 'db2', 'db3']) await stage.make('hosts/', { name, inventory });
    await stage.logIn();
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
  const leaving = () => page.getByRole('dialog', { name: 'Leave without saving?' });
  const menu = (name: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

  describe('a form with something typed in it', () => {
    const name = () => page.getByLabel('Name', { exact: true });
    const typeOne = async () => {
      await stage.open('/teams');
      await page.getByRole('link', { name: 'New team' }).click();
      await name().fill('Half typed');
    };

    it('asks before a link leaves it: staying keeps what was typed, leaving goes on', async () => {
      await typeOne();
      await menu('Projects').click();
      await leaving().waitFor();
      expect(await violations(page)).to.deep.equal([]);
      await page.keyboard.press('Escape');
      await leaving().waitFor({ state: 'detached' });
      expect([await name().inputValue(), new URL(page.url()).pathname]).to.deep.equal(['Half typed', '/teams/new']);
      await menu('Projects').click();
      await leaving().getByRole('button', { name: 'Leave', exact: true }).click();
      await heading('Projects');
    });

    it('asks before the way back leaves it, and keeps back and forward right', async () => {
      await typeOne();
      await page.evaluate('history.back()');
      await leaving().getByRole('button', { name: 'Stay here' }).click();
      expect([await name().inputValue(), new URL(page.url()).pathname]).to.deep.equal(['Half typed', '/teams/new']);
      await page.evaluate('history.back()');
      await leaving().getByRole('button', { name: 'Leave', exact: true }).click();
      await heading('Teams');
      await page.goForward();
      await heading('New team');
      await until(async () => (await name().inputValue()) === '');
      await page.goBack();
      await heading('Teams');
    });

    it('asks before logging out, and not where it was sent or nothing was typed', async () => {
      await typeOne();
      await page.getByRole('button', { name: 'Log out' }).click();
      await leaving().getByRole('button', { name: 'Stay here' }).click();
      await page.getByRole('combobox', { name: /^Organization/ }).click();
      await page.getByRole('option', { name: /^Default/ }).click();
      await page.getByRole('button', { name: 'Create team' }).click();
      await heading('Half typed');
      await page.getByRole('link', { name: 'Edit' }).click();
      await heading('Edit Half typed');
      await menu('Teams').click();
      await heading('Teams');
    });
  });

  it('chooses the only organization there is by itself, which is nothing typed', async () => {
    await stage.open('/teams/new');
    const box = page.getByRole('combobox', { name: /^Organization/ });
    await until(async () => (await box.inputValue()) === 'Default');
    await box.press('Tab');
    await menu('Projects').click();
    await heading('Projects');
    // who empties it means it
    await stage.open('/teams/new');
    await until(async () => (await box.inputValue()) === 'Default');
    await box.fill('');
    await page.getByLabel('Name', { exact: true }).fill('Of nobody');
    await page.getByRole('button', { name: 'Create team' }).click();
    await page.locator('.field.invalid', { has: box }).waitFor();
    expect(await box.inputValue()).to.equal('');
    await menu('Projects').click();
    await leaving().getByRole('button', { name: 'Leave', exact: true }).click();
    await heading('Projects');
  });

  describe('keys', () => {
    const palette = () => page.getByRole('dialog', { name: 'Go to, find, do' });
    const option = (name: RegExp | string) => palette().getByRole('option', { name });
    // what is typed before it is there goes to the page
    const openPalette = async () => {
      await page.keyboard.press('Control+k');
      await palette().waitFor();
    };

    it('opens a palette that goes to pages, finds objects of every kind, and launches', async () => {
      await stage.open('/');
      await openPalette();
      expect(await violations(page)).to.deep.equal([]);
      await page.keyboard.type('invent');
      await option(/^Inventories/).waitFor();
      await page.keyboard.press('Enter');
      await heading('Inventories');

      await openPalette();
      await page.keyboard.type('db2');
      await option(/db2\s*Host/).waitFor();
      await page.keyboard.press('Enter');
      await heading('db2');

      await page.getByRole('button', { name: 'Find or do' }).click();
      await palette().waitFor();
      await page.keyboard.type('greet');
      await option(/^Launch Greet/).waitFor();
      await option(/^Greet\s*Template/).waitFor();
      await page.keyboard.press('ArrowUp');
      await palette().locator('[aria-selected="true"]', { hasText: 'Launch Greet' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Launch', exact: true }).click();
      await page.waitForURL(/\/jobs\/\d+$/);
      const id = page.url().split('/').at(-1)!;

      await openPalette();
      await page.keyboard.type(`#${id}`);
      await option(new RegExp(`Greet\\s*Job ${id}`)).click();
      await heading(`Greet · Job ${id}`);
    });

    it('finds for each only what they may see', async () => {
      await stage.make('users/', { username: 'stranger', password: 'long enough 1' });
      const other = await stage.fresh();
      await stage.logIn(other, 'stranger', 'long enough 1');
      await other.keyboard.press('Control+k');
      await other.getByRole('combobox').fill('db2');
      await other.getByText('Nothing fits.').waitFor();
      await other.context().close();
    });

    it('lists the keys, and lets single ones be switched off', async () => {
      await stage.open('/');
      const help = page.getByRole('dialog', { name: 'Keys' });
      await page.keyboard.press('?');
      await help.waitFor();
      expect(await violations(page)).to.deep.equal([]);
      expect(await help.locator('kbd').allTextContents()).to.include.members(
        // those of the page, of an output and of a graph
        ['Ctrl or Cmd + K', 'Home, End', 'Insert', 'L', 'E', 'Delete'],
      );
      await help.getByLabel('Use single keys').uncheck();
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await openPalette();
      expect(await help.count()).to.equal(0);
      await page.keyboard.type('show the keys');
      await page.keyboard.press('Enter');
      await help.getByLabel('Use single keys').check();
      await page.keyboard.press('Escape');
    });

    it('walks through lists and tabs', async () => {
      await stage.open('/hosts?search=db');
      await page.getByRole('rowheader').first().waitFor();
      const link = (name: string) => page.getByRole('rowheader').getByRole('link', { name, exact: true });
      await page.keyboard.press('j');
      await until(() => hasFocus(link('db1')));
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('j');
      await until(() => hasFocus(link('db3')));
      await page.keyboard.press('k');
      await until(() => hasFocus(link('db2')));
      await page.keyboard.press('/');
      await until(() => hasFocus(page.getByRole('searchbox')));
      // in a field a key is a letter
      await page.keyboard.press('j');
      expect(await page.getByRole('searchbox').inputValue()).to.equal('j');
      await link('db2').focus();
      await page.keyboard.press('Enter');
      await heading('db2');
      const tabs = page.getByRole('navigation', { name: 'Parts' });
      await tabs.getByRole('link', { name: 'Details' }).focus();
      await page.keyboard.press('ArrowRight');
      await until(() => hasFocus(tabs.getByRole('link').nth(1)));
      await page.keyboard.press('ArrowLeft');
      await until(() => hasFocus(tabs.getByRole('link', { name: 'Details' })));
      await page.keyboard.press('e');
      await heading('Edit db2');
    });

    it('changes colours and keeps them', async () => {
      await openPalette();
      await page.keyboard.type('colours: dark');
      await page.keyboard.press('Enter');
      const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
      await until(async () => (await scheme()) === 'dark');
      await page.reload();
      await until(async () => (await scheme()) === 'dark');
      await page.evaluate('localStorage.clear()');
    });
  });

  it('says that the service is away, and goes on by itself when it is back', async () => {
    await stage.open('/jobs');
    const notice = page.getByText('The service does not answer');
    await stage.restart(() => notice.waitFor());
    await notice.waitFor({ state: 'detached' });
    await page.locator('.connection.open').waitFor();
    const others = stage.problems().filter((problem) => !/ERR_CONNECTION|ERR_EMPTY|WebSocket connection/.test(problem));
    expect(others).to.deep.equal([]);
  });

  it('asks every few seconds where a proxy takes the WebSocket and passes nothing on, and notices one that died', async () => {
    const other = await stage.fresh();
    let mute = true;
    await other.routeWebSocket('**/websocket/', (connection) => {
      if (mute) return;
      const service = connection.connectToServer();
      service.onMessage((message) => void (mute || connection.send(message)));
    });
    await stage.logIn(other);
    await other.getByText('Live, by asking every few seconds').waitFor();
    mute = false;
    await other.locator('.connection.open').waitFor();
    mute = true;
    await other.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await other.getByText('Live, by asking every few seconds').waitFor();
    await other.context().close();
  });

  it('asks every few seconds where a proxy refuses the WebSocket, says so, and is live all the same', async () => {
    const { url, server } = await refusingProxy(stage.service.url);
    try {
      rmSync(stage.release, { force: true });
      const other = await stage.fresh({ baseURL: url });
      await other.goto(`/templates/${held}/launch`);
      await other.getByLabel('User name').fill('admin');
      await other.getByLabel('Password').fill(adminPassword);
      await other.getByRole('button', { name: 'Log in' }).click();
      await other.getByText('Live, by asking every few seconds').waitFor();
      await other.getByRole('button', { name: 'Launch', exact: true }).click();
      const output = other.getByRole('region', { name: 'Lines of the output' });
      await output.getByText('"msg": "begun"').waitFor();
      writeFileSync(stage.release, '');
      await output.getByText('"msg": "all done"').waitFor();
      await other.locator('.page-head .status', { hasText: 'Successful' }).waitFor();
      await other.context().close();
    } finally {
      server.close();
      server.closeAllConnections();
    }
    // every attempt to connect is refused; and the proxy is another address than the service
    const foreign = stage.problems().filter((problem) => !/WebSocket connection to .* failed/.test(problem));
    expect(foreign.filter((problem) => !problem.startsWith(`request to ${url}`))).to.deep.equal([]);
  });
});
