import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../core/config/config.ts';
import { until } from '../support/until.ts';

const folder = join(root, 'docs', 'screenshots');

/** Of the page as it stands, once it has loaded what it shows. */
export async function picture(page: Page, name: string): Promise<void> {
  await until(async () => (await page.getByText(/^Loading/).count()) === 0);
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/screenshots/${name}.png`);
}

/** In light, and in dark as `…-dark`. */
export async function pictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await picture(page, colorScheme === 'dark' ? `${name}-dark` : name);
  }
}
