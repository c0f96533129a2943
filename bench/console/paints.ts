import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBare } from '../lib/bare-server.ts';
import { progress } from '../lib/progress.ts';
import { root } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { type Browsing, holds, largestPaint, openBrowser } from './browser.ts';
import { settled, shown } from './pages.ts';

const loads = 11;

interface Load {
  painted: number;
  filled: number;
}

async function load(browsing: Browsing, address: string, selector: string): Promise<Load & { html: string }> {
  const page = await browsing.fresh();
  await page.addInitScript(`
    window.__filled = 0;
    (function look() {
      if (document.querySelector(${JSON.stringify(selector)})) window.__filled = performance.now();
      else requestAnimationFrame(look);
    })();
  `);
  await page.goto(address);
  await holds(page, 'window.__filled > 0');
  await settled(page);
  const [painted, filled] = [await largestPaint(page), Number(await page.evaluate('window.__filled'))];
  const html = await page.content();
  await page.context().close();
  return { painted, filled, html };
}

/** The same content as a page that is only text and styles. */
async function staticPage(html: string): Promise<{ paint(): Promise<number>; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-page-'));
  cpSync(join(root, 'plugins/console/dist/assets'), join(folder, 'assets'), { recursive: true });
  const still = html.replaceAll(/<script[^]*?<\/script>/g, '').replaceAll(/<link[^>]*modulepreload[^>]*>/g, '');
  writeFileSync(join(folder, 'index.html'), still);
  const server = await startBare('../console/bare-page.ts', folder);
  const browsing = await openBrowser(`http://127.0.0.1:${server.port}`);
  return {
    async paint() {
      const page = await browsing.fresh();
      await page.goto('/');
      await settled(page);
      const painted = await largestPaint(page);
      await page.context().close();
      return painted;
    },
    async close() {
      await browsing.close();
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function paints(browsing: Browsing): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [address, selector] of Object.entries(shown)) {
    progress(`${address}: ${loads} loads`);
    const { html } = await load(browsing, address, selector);
    const still = await staticPage(html);
    const [painted, filled, bare]: number[][] = [[], [], []];
    try {
      await still.paint();
      for (let i = 0; i < loads; i++) {
        bare!.push(await still.paint());
        const one = await load(browsing, address, selector);
        painted!.push(one.painted);
        filled!.push(one.filled);
      }
    } finally {
      await still.close();
    }
    const ratio = median(painted!.map((value, i) => value / bare![i]!));
    const detail = `${spread(painted!, 'ms')}; ${ratio.toFixed(1)} × a still page of the same content: ${spread(bare!, 'ms')}`;
    figures.push(
      figure('console', `largest contentful paint of ${address}`, median(painted!), 'ms', '<=', 1000, detail),
      figure('console', `what ${address} is for is there`, median(filled!), 'ms', '<=', 1000, spread(filled!, 'ms')),
    );
  }
  return figures;
}
