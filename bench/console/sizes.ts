import { type Figure, figure } from '../lib/stats.ts';
import { type Browsing, countBytes } from './browser.ts';
import { settled, shown } from './pages.ts';

const kilobyte = 1024;

/** Bytes of the first load, and the most that another page brings besides. */
export async function sizes(browsing: Browsing): Promise<Figure[]> {
  const page = await browsing.fresh();
  const taken = await countBytes(page);
  await page.goto('/');
  await page.locator(shown['/']).first().waitFor();
  await settled(page);
  const first = taken();
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '/'));
  await page.context().close();
  const more: [string, number][] = [];
  for (const address of [...addresses, '/templates/new', '/schedules/new', '/settings/jobs', '/wizards/compliance']) {
    const other = await browsing.fresh();
    const counted = await countBytes(other);
    await other.goto('/');
    await other.locator(shown['/']).first().waitFor();
    await settled(other);
    counted();
    // as a link of the console does: what is loaded already stays
    await other.evaluate(
      `(() => { const link = document.createElement('a'); link.href = ${JSON.stringify(address)}; document.body.append(link); link.click(); })()`,
    );
    await other.getByRole('heading', { level: 1 }).waitFor();
    await settled(other);
    more.push([address, counted()]);
    await other.context().close();
  }
  const [heaviest, most] = more.toSorted(([, a], [, b]) => b - a)[0]!;
  return [
    figure(
      'console',
      'first load',
      first / kilobyte,
      'KB',
      '<=',
      120,
      'page, scripts and styles as they are sent, headers included',
    ),
    figure(
      'console',
      'any other page besides',
      most / kilobyte,
      'KB',
      '<=',
      60,
      `the heaviest of ${more.length}: ${heaviest}`,
    ),
  ];
}
