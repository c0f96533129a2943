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
  await furnish(stage);
  const page = await stage.fresh({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await stage.logIn(page);
  await page.goto('/drift');
  await page.getByRole('table', { name: 'Changes' }).waitFor();
  await page.screenshot({ path: join(folder, 'drift.png') });
  const { body } = await stage.service.get('fact_snapshots/?order_by=id');
  const [first, second] = body.results;
  await page.goto(`/drift/compare?a=${first.id}&b=${second.id}`);
  await page.getByRole('table', { name: 'Differences' }).waitFor();
  await page.screenshot({ path: join(folder, 'drift-compare.png') });
} finally {
  await stage.stop();
  await mochaGlobalTeardown();
}
