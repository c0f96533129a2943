/** Makes the pictures of drift in docs/screenshots: `node plugins/drift/test/screenshots.ts`. */
import { join } from 'node:path';
import { openStage } from '../../../test/console/stage.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../../test/support/hooks.ts';
import drift from '../index.ts';
import { furnish } from './furnish.ts';

const folder = join(import.meta.dirname, '../../../docs/screenshots');

await mochaGlobalSetup();
const stage = await openStage({ TAPLINE_PLUGINS: 'console' }, { plugins: [drift] });
try {
  const { web } = await furnish(stage);
  const { results } = (await stage.service.get(`fact_snapshots/?host=${web}&order_by=id`)).body;
  const [change] = (await stage.service.get('drift_detections/?category=services')).body.results;
  const pictures = [
    ['drift', '/drift', 'List of changes'],
    ['drift-compare', `/drift/compare?a=${results[0].id}&b=${results[1].id}`, 'Differences'],
    ['drift-change', `/drift/${change.id}`, 'Changes within the fact'],
  ] as const;
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await stage.fresh({ viewport: { width: 1280, height: 800 }, colorScheme });
    await stage.logIn(page);
    for (const [name, path, table] of pictures) {
      await page.goto(path);
      await page.getByRole('table', { name: table }).waitFor();
      await page.screenshot({ path: join(folder, `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`) });
    }
  }
} finally {
  await stage.stop();
  await mochaGlobalTeardown();
}
