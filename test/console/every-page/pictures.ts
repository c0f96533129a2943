import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../../core/config/config.ts';

const folder = join(root, 'docs', 'screenshots');
const themes = ['light', 'dark'] as const;
/** `SCREENSHOTS=1` takes them anew; otherwise a test only looks whether each page has one. */
const taking = process.env['SCREENSHOTS'] === '1';
const most = 60 * 1024;
const qualities = [70, 50, 30, 15];

const file = (name: string, theme: string) => join(folder, theme, `${name}.webp`);

/** The name of a page's picture, from its address: `/jobs/12?tab=hosts` → `jobs-one-hosts`. */
export const pictureName = (address: string): string =>
  address
    .replace(/^\/$/, 'overview')
    .replaceAll(/\/\d+(?=\/|\?|$)/g, '/one')
    .replaceAll(/[?&]\w+=/g, '/')
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-|-$/g, '');

export async function takePictures(page: Page, name: string, theme: (typeof themes)[number]): Promise<void> {
  if (!taking) return;
  const session = await page.context().newCDPSession(page);
  for (const quality of qualities) {
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    const picture = Buffer.from(data, 'base64');
    mkdirSync(join(folder, theme), { recursive: true });
    writeFileSync(file(name, theme), picture);
    if (picture.length <= most) break;
  }
  await session.detach();
}

/** Pages without a picture; with SCREENSHOTS=1 pictures of pages that are gone go too, and the list of all is written. */
export function missingPictures(names: readonly string[]): string[] {
  if (taking) {
    for (const theme of themes)
      for (const one of readdirSync(join(folder, theme)))
        if (!names.includes(one.replace('.webp', ''))) rmSync(join(folder, theme, one));
    writeFileSync(join(folder, 'README.md'), listOf(names));
  }
  return names.filter((name) => !themes.every((theme) => existsSync(file(name, theme))));
}

const listOf = (names: readonly string[]) => `# Every page, light and dark

Taken by \`SCREENSHOTS=1 npm test -- test/console/every-page.test.ts\` from a service that ran all that is shown.

${names.map((name) => `## ${name}\n\n| Light | Dark |\n|---|---|\n| ![${name}, light](light/${name}.webp) | ![${name}, dark](dark/${name}.webp) |\n`).join('\n')}`;
