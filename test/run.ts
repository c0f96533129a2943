/**
 * Every check and every test; the last line is the count. Arguments, for a part of them: test files, or areas (folders of
 * test/ and plugins/), which are checked too.
 */
import { filesOf } from './support/areas.ts';
import { runInLanes } from './support/lanes.ts';
import { watchSurroundings } from './support/left-behind.ts';
import { runStaticChecks, staticChecks } from './support/static-checks.ts';

/** Tests say themselves what the service is to be told: nothing of the caller's own service may reach them. */
function testEnvironment(): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([key]) =>
        !key.startsWith('TAPLINE_') && !['DATABASE_URL', 'PORT', 'HOST', 'ADMIN_PASSWORD', 'LOG_LEVEL'].includes(key),
    ),
  );
  return { TEST_LOG: 'warn', ...env, TMPDIR: surroundings.temporary };
}

const wanted = process.argv.slice(2);
const files = wanted.length ? filesOf(wanted) : filesOf(['.']);
const checked = !wanted.some((word) => word.endsWith('.test.ts'));

const surroundings = watchSurroundings();
console.log(`== tests (${files.length} files)`);
const [{ passed, failed, skipped, failures, milliseconds }, failedChecks] = await Promise.all([
  runInLanes(files, testEnvironment()),
  checked ? runStaticChecks() : [],
]);
const left = surroundings.leftBehind();

/** Test time is lane time: it passes in several files at once. */
const showSlowest = (what: string, times: Record<string, number>, most: number) => {
  console.log(`slowest ${what}, in seconds:`);
  const slowest = Object.entries(times).toSorted(([, a], [, b]) => b - a);
  for (const [name, took] of slowest.slice(0, most)) console.log(`  ${(took / 1000).toFixed(1).padStart(6)}  ${name}`);
};
const areas: Record<string, number> = {};
for (const [file, took] of Object.entries(milliseconds)) {
  const area = file.split('/').slice(0, 2).join('/');
  areas[area] = (areas[area] ?? 0) + took;
}
showSlowest('areas', areas, 20);
showSlowest('files', milliseconds, 40);
for (const failure of failures) console.log(`failed: ${failure}`);
for (const name of failedChecks) console.log(`failed check: ${name} (npm run check shows it alone)`);
for (const { title, tests, reason } of skipped) console.log(`skipped: ${title} (${tests} tests): ${reason}`);
for (const what of left) console.log(`left behind: ${what}`);

const checks = checked ? staticChecks.length : 0;
const skippedCount = skipped.reduce((sum, { tests }) => sum + tests, 0);
const totalFailed = failed + failedChecks.length + (left.length > 0 ? 1 : 0);
process.exitCode = totalFailed > 0 || (skippedCount > 0 && process.env.CI) ? 1 : 0;
console.log(
  `${passed + checks - failedChecks.length} passed, ${totalFailed} failed${skippedCount ? `, ${skippedCount} skipped` : ''}`,
);
