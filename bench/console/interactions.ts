import type { Page } from 'playwright-core';
import { progress } from '../lib/progress.ts';
import { type Figure, figure, median, quantile } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';
import { type Browsing, holds, interaction } from './browser.ts';
import { settled, shown } from './pages.ts';

const rounds = 11;

/** What somebody does, each with what there is when it is answered. */
type Deed = [name: string, act: (page: Page) => Promise<void>, answered: (page: Page) => Promise<unknown>];

const row = (page: Page) => page.locator('main tbody tr').first();
const turned = (search: string) => (page: Page) =>
  holds(page, `location.search.includes('${search}') && !document.querySelector('.loading')`);
const deeds: [address: string, ...Deed[]][] = [
  [
    '/hosts',
    [
      'order a list',
      (page) => page.getByRole('columnheader', { name: 'Name' }).getByRole('link').click(),
      turned('order_by'),
    ],
    ['its next page', (page) => page.getByRole('link', { name: 'Next' }).click(), turned('page=2')],
    [
      'open a record',
      (page) => row(page).getByRole('link').first().click(),
      (page) => page.locator('.record').waitFor(),
    ],
    [
      'another tab',
      (page) => page.getByRole('link', { name: 'Facts' }).click(),
      (page) => page.getByText('No run with the fact cache on').waitFor(),
    ],
  ],
  [
    '/jobs',
    ['narrow jobs', (page) => page.getByRole('link', { name: 'Failed' }).click(), turned('show=failed')],
    [
      'select a page',
      (page) => page.getByLabel('Select all of this page').check(),
      (page) => page.getByText(/of \d+ selected/).waitFor(),
    ],
    [
      'open a job',
      (page) => row(page).getByRole('link').first().click(),
      (page) => page.locator('.page-head .status').waitFor(),
    ],
  ],
  [
    '/',
    ['open the palette', (page) => page.keyboard.press('Control+k'), (page) => page.getByRole('dialog').waitFor()],
    ['type into it', (page) => page.keyboard.press('h'), (page) => page.getByRole('option').first().waitFor()],
    [
      'close it',
      (page) => page.keyboard.press('Escape'),
      (page) => page.getByRole('dialog').waitFor({ state: 'detached' }),
    ],
    [
      'open a page',
      (page) => page.getByRole('link', { name: 'Templates', exact: true }).click(),
      (page) => row(page).waitFor(),
    ],
  ],
];

const worst = (of: Record<string, number[]>) =>
  Object.entries(of).toSorted(([, a], [, b]) => median(b) - median(a))[0]!;
const all = (of: Record<string, number[]>) =>
  Object.entries(of)
    .map(([name, values]) => `${name} ${median(values).toFixed(0)} (${quantile(values, 1).toFixed(0)})`)
    .join(', ');

export async function interactions(browsing: Browsing): Promise<Figure[]> {
  const next: Record<string, number[]> = {};
  const answered: Record<string, number[]> = {};
  progress(`${rounds} rounds of ${deeds.flat().length - deeds.length} deeds`);
  for (let round = -1; round < rounds; round++)
    for (const [address, ...all] of deeds) {
      const page = await browsing.fresh();
      await page.goto(address);
      await page
        .locator(shown[address as keyof typeof shown])
        .first()
        .waitFor();
      await settled(page);
      for (const [name, act, done] of all) {
        let took = 0;
        const frame = await interaction(page, async () => {
          took = await timed(async () => {
            await act(page);
            await done(page);
          });
        });
        if (round < 0) continue;
        (next[name] ??= []).push(frame);
        (answered[name] ??= []).push(took);
      }
      await page.context().close();
    }
  const [slowest, frames] = worst(next);
  const [latest, times] = worst(answered);
  return [
    figure(
      'console',
      `an interaction to the next frame, the slowest (${slowest})`,
      median(frames),
      'ms',
      '<=',
      100,
      `median (worst) of ${rounds}: ${all(next)}`,
    ),
    figure(
      'console',
      `until it is answered, the slowest (${latest})`,
      median(times),
      'ms',
      '<=',
      250,
      `with the time of the driver; median (worst) of ${rounds}: ${all(answered)}`,
    ),
  ];
}
