import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Stage } from '../stage.ts';
import { addresses } from './addresses.ts';
import { askCanaries, hearCanaries, named, writeCanaries } from './canaries.ts';
import type { Furnished } from './furnish.ts';
import { go } from './visit.ts';

/** What markup or an address out of the data has done to the page as it is now, and which canaries it shows. */
const heardOn = (page: Page) =>
  page.evaluate(() => {
    const { document, sung } = globalThis as any;
    const all: any[] = [...document.querySelectorAll('*')];
    const wrong = all
      .filter((element) => element.hasAttribute('onerror') || element.getAttribute('src') === 'x')
      .map((element) => `markup became ${element.outerHTML.slice(0, 80)}`);
    for (const name of ['href', 'src', 'action', 'formaction'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (/^\s*(?:javascript|vbscript|data):/i.test(element.getAttribute(name)))
          wrong.push(`${name} became ${element.getAttribute(name).slice(0, 60)}`);
    if (sung !== undefined) wrong.push('it ran');
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) {
      // what is wider than itself without scrolling, or reaches out
      const out = all.filter(
        (element) =>
          element.getBoundingClientRect().right > clientWidth + 1 ||
          (element.scrollWidth > element.clientWidth + 1 &&
            element.clientWidth > 1 &&
            (globalThis as any).getComputedStyle(element).overflowX === 'visible'),
      );
      const named = out.map((element) => `${element.localName}.${element.getAttribute('class') ?? ''}`);
      wrong.push(`${scrollWidth} wide on a screen of ${clientWidth}: ${[...new Set(named)].join(' ')}`);
    }
    const typed = [...document.querySelectorAll('input, textarea')].map(({ value }: any) => value);
    const texts = [document.body.textContent, ...typed].join('\n');
    return { wrong, places: [...texts.matchAll(/«([\w.]+)/g)].map(([, place]) => place!) };
  });

/** Writes words that would do harm into all that is there, and looks for them everywhere: nobody else needs it afterwards. */
export function wordsThatWouldDoHarm(there: () => { stage: Stage; made: Furnished }): void {
  it('are shown as words on every page and tab, and none is wider than a narrow screen', async () => {
    const { stage, made } = there();
    const page = await stage.fresh({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    await stage.logIn(page);
    const all = await addresses(stage, page, made);
    const asked = await askCanaries(stage, made);
    const { taken, refused } = await writeCanaries(stage);
    expect(refused).to.deep.equal([]);
    const heard = await hearCanaries(stage);
    const found: Record<string, string[]> = {};
    const seen = new Set<string>();
    const look = async (address: string) => {
      const { wrong, places } = await heardOn(page);
      for (const place of places) seen.add(place);
      if (wrong.length) found[address] = wrong;
    };
    const visited = new Set<string>();
    const visit = async (address: string) => {
      if (visited.has(address)) return;
      visited.add(address);
      await go(page, address);
      await look(address);
      const tabs = page.getByRole('navigation', { name: 'Parts' }).getByRole('link');
      for (const tab of await tabs.evaluateAll((links) => links.map((link) => link.getAttribute('href')!)))
        await visit(tab);
    };
    for (const address of [...all, ...asked.pages]) await visit(address);
    // these are read after the rest of the page
    for (const [address, place] of [
      [`/jobs/${made.failed}`, 'run_events.stdout'],
      [asked.form, 'asked.label'],
    ] as const) {
      await page.goto(address);
      await page.getByText(`«${place}`).first().waitFor();
      await look(address);
    }
    expect(found).to.deep.equal({});
    const written = [...asked.places, ...[...taken].filter((place) => named.test(place))];
    expect(written.filter((place) => !seen.has(place))).to.deep.equal([]);
    expect(heard.filter((place) => seen.has(place)).length, 'of what was heard').to.be.greaterThan(25);
    expect(stage.problems()).to.deep.equal([]);
  });
}
