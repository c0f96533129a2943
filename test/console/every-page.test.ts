import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { root } from '../../core/config/config.ts';
import { describeWith } from '../support/needs.ts';
import { violations } from './axe.ts';
import { addresses } from './every-page/addresses.ts';
import { dialogFiles, dialogs } from './every-page/dialogs.ts';
import { furnish, type Furnished, openFurnished } from './every-page/furnish.ts';
import { wordsThatWouldDoHarm } from './every-page/harm.ts';
import { missingPictures, pictureName } from './every-page/pictures.ts';
import { go, look } from './every-page/visit.ts';
import type { Stage } from './stage.ts';

/** Where the tabs of the page lead. */
const tabsOf = (page: Page): Promise<string[]> =>
  page
    .getByRole('navigation', { name: 'Parts' })
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));

describeWith(['chromium'], 'the console, on every page', () => {
  let stage: Stage;
  let made: Furnished;
  // it takes as long as all that is looked at
  before(async () => {
    stage = await openFurnished();
    made = await furnish(stage);
  });
  after(() => stage?.stop());

  describe('is for everybody: it', () => {
    let page: Page;
    const pictures: string[] = [];
    /** one of each kind by its name, but for those that were looked at as pages of their own */
    const tabs = new Map<string, string>();
    before(async () => {
      page = await stage.fresh({
        colorScheme: 'light',
        reducedMotion: 'reduce',
        viewport: { width: 1024, height: 640 },
      });
    });
    // its session is ended below: nothing of it shall be heard later on
    after(() => page?.close());
    // where policies are tried nobody answers, and the page says so
    const unanswered =
      'console: Failed to load resource: the server responded with a status of 503 (Service Unavailable)';
    afterEach(() => expect(stage.problems().filter((problem) => problem !== unanswered)).to.deep.equal([]));

    /** What is wrong, by the name of what was looked at. */
    const looking = () => {
      const found: Record<string, string[]> = {};
      return {
        async at(name: string, part?: string) {
          if (!part) pictures.push(name);
          const problems = await look(page, name, part);
          if (problems.length) found[name] = problems;
        },
        found,
      };
    };

    it('has names and order in every page, by all rules and in both themes, and fits a narrow screen', async () => {
      const { at, found } = looking();
      await page.goto('/');
      await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
      await at('login');
      await stage.logIn(page);
      const all = await addresses(stage, page, made);
      const names = { [`/jobs/${made.running}`]: 'jobs-live', [`/jobs/${made.failed}`]: 'jobs-failed' };
      for (const path of all) {
        await go(page, path);
        await at(names[path] ?? pictureName(path));
        for (const tab of await tabsOf(page)) tabs.set(pictureName(tab), tab);
      }
      for (const name of pictures) tabs.delete(name);
      expect(found).to.deep.equal({});
      const animated = await page
        .locator('*')
        .evaluateAll((all) => all.filter((element) => element.getAnimations().length > 0).length);
      expect(animated, 'moving for those who asked for none').to.equal(0);
    });

    it('has names and order in every other tab, by all rules in one theme', async () => {
      const found: Record<string, string[]> = {};
      expect(tabs.size).to.be.greaterThan(80);
      await page.emulateMedia({ colorScheme: 'light' });
      for (const [name, path] of tabs) {
        await go(page, path);
        // what stands around it was looked at with the page
        const problems = await violations(page, undefined, 'main');
        if (problems.length) found[name] = problems;
      }
      expect(found).to.deep.equal({});
    });

    it('has names and order in every dialog, by all rules and in both themes', async () => {
      const { at, found } = looking();
      const all = dialogs(stage, made);
      expect(Object.keys(all)).to.deep.equal(dialogFiles());
      for (const [file, { at: address, open, close }] of Object.entries(all)) {
        await go(page, address);
        await open(page);
        const dialog = page.locator('dialog[open]');
        await dialog.waitFor();
        await at(`dialog-${basename(file).replace(/\..*/, '')}-${file.split('/')[1]}`, 'dialog[open]');
        await (close ?? ((other: Page) => other.keyboard.press('Escape')))(page);
        await dialog.waitFor({ state: 'detached' });
      }
      await page.goto('/organizations/new');
      await page.getByLabel('Name', { exact: true }).fill('Not lost');
      await stage.service.services.db('sessions').delete();
      // whatever was told of it first: behind the dialog, of which what the page asks for by itself may hear before, no mouse gets to it
      await page.locator('button', { hasText: 'Create organization' }).dispatchEvent('click');
      await page.getByText('Your session has ended').waitFor();
      await at('dialog-login-again', '[role="dialog"], dialog[open]');
      expect(found).to.deep.equal({});
    });

    it('has a picture of each in docs/screenshots: SCREENSHOTS=1 takes them', () => {
      expect(missingPictures(pictures)).to.deep.equal([]);
    });

    it('has two themes that differ in colours alone, so that the second is asked of these', () => {
      const sheets = globSync('{plugins/*,console-kit}/**/*.css', {
        cwd: root,
        exclude: (path) => /node_modules|dist/.test(path),
      });
      expect(sheets).to.include('plugins/console/web/styles/tokens.css');
      const all = sheets.map((path) => readFileSync(join(root, path), 'utf8')).join('');
      expect(all)
        .to.include('light-dark(')
        .and.not.to.match(/prefers-color-scheme|@container style/);
    });

    it('tells what has no contrast', async () => {
      const other = await stage.fresh({ colorScheme: 'dark' });
      await other.goto('/');
      const heading = other.getByRole('heading', { name: 'Log in to Tapline' });
      await heading.evaluate((element) => Object.assign(element.style, { color: '#222', background: '#000' }));
      expect(await violations(other, ['color-contrast'])).to.have.length(1);
      await other.context().close();
    });
  });

  describe('words that would do harm', () => {
    wordsThatWouldDoHarm(() => ({ stage, made }));
  });
});
