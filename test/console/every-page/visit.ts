import type { Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { ofColours, violations } from '../axe.ts';
import { takePictures } from './pictures.ts';

const narrow = { width: 360, height: 740 };

/** As a link of the console leads there: what is loaded already stays. Pages of the API are documents of their own. */
export async function go(page: Page, address: string): Promise<void> {
  if (address.startsWith('/api/') || page.url().includes('/api/') || !page.url().startsWith('http'))
    await page.goto(address);
  else
    await page.evaluate(
      (to) =>
        new Promise<void>((drawn) => {
          const { document, requestAnimationFrame: frame } = globalThis as any;
          const link = Object.assign(document.createElement('a'), { href: to });
          document.body.append(link);
          link.click();
          link.remove();
          frame(() => frame(() => drawn()));
        }),
      address,
    );
  await page.getByRole('heading', { level: 1 }).waitFor();
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await until(async () => (await page.getByText(/^Loading/).count()) === 0);
}

/**
 * All that is wrong with what is shown, or a part of it: by every rule, and on a narrow screen. The other theme has the same page in
 * other colours: it is asked of these.
 */
export async function look(page: Page, name: string, part?: string): Promise<string[]> {
  const found: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', undefined],
    ['dark', ofColours],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await violations(page, rules, part)).map((one) => `${colorScheme}: ${one}`));
    await takePictures(page, name, colorScheme);
  }
  const wide = page.viewportSize()!;
  await page.setViewportSize(narrow);
  const width = await page.locator('html').evaluate((element) => element.scrollWidth);
  await page.setViewportSize(wide);
  return width > narrow.width ? [...found, `${width} wide on a screen of ${narrow.width}`] : found;
}
