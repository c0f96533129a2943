/** Every check and every test; the last line is the count. Arguments: test files, for a part of them. */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestResult } from './support/reporter.ts';
import { mocha, runNode, runStaticChecks, staticChecks } from './support/static-checks.ts';

/** Tests say themselves what the service is to be told: nothing of the caller's own service may reach them. */
function testEnvironment(resultFile: string): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([key]) =>
        !key.startsWith('TAPLINE_') && !['DATABASE_URL', 'PORT', 'HOST', 'ADMIN_PASSWORD', 'LOG_LEVEL'].includes(key),
    ),
  );
  return { ...env, TEST_RESULT_FILE: resultFile };
}

/** One mocha: its own Postgres, its own databases. What it says goes to `output`, or straight to the terminal. */
async function runTests(files: string[], output?: string): Promise<TestResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-result-'));
  const resultFile = join(folder, 'result.json');
  const code = await runNode(
    mocha(['--exit', '--reporter', './test/support/reporter.ts', ...files]),
    testEnvironment(resultFile),
    output,
  );
  const result = readResult(resultFile);
  rmSync(folder, { recursive: true });
  // a run that ended without its reporter, or failed outside any test (`.only`, a broken import), is a failure too
  if (code !== 0 && result.failed === 0) result.failed = 1;
  if (result.passed === 0 && result.failed === 0) result.failed = 1;
  return result;
}

/** Areas that mostly wait (for a database, a browser, a client or a run): they run beside the others. */
const waiting = [
  /^test\/(?:chaos|clients|console|faults|http|launch|scm|dispatch)\//,
  /^test\/(?:runner|platform|plugins|websocket|speed)\//,
];

/** All at once; the listings of the other runs are shown when the first one has ended. */
async function runSideBySide(files: string[]): Promise<TestResult> {
  const areas = waiting.map((area) => files.filter((file) => area.test(file)));
  const [first = [], ...others] = [files.filter((file) => !areas.flat().includes(file)), ...areas].filter(
    ({ length }) => length > 0,
  );
  const folder = mkdtempSync(join(tmpdir(), 'tapline-output-'));
  const outputs = others.map((_, index) => join(folder, String(index)));
  const results = await Promise.all([runTests(first), ...others.map((area, index) => runTests(area, outputs[index]))]);
  for (const output of outputs) console.log(readFileSync(output, 'utf8'));
  rmSync(folder, { recursive: true });
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    skipped: results.flatMap(({ skipped }) => skipped),
  };
}

function readResult(file: string): TestResult {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: [] };
  }
}

const wanted = process.argv.slice(2);
const files = wanted.length
  ? wanted
  : [...globSync('{test,plugins,plugin-sdk}/**/*.test.ts')].filter((file) => !file.includes('node_modules')).toSorted();

const failedChecks = wanted.length ? [] : await runStaticChecks();
console.log(`== tests (${files.length} files)`);
const { passed, failed, skipped } = await runSideBySide(files);

for (const name of failedChecks) console.log(`failed check: ${name} (npm run check shows it alone)`);
for (const { title, tests, reason } of skipped) console.log(`skipped: ${title} (${tests} tests): ${reason}`);

const checks = wanted.length ? 0 : staticChecks.length;
const skippedCount = skipped.reduce((sum, { tests }) => sum + tests, 0);
const totalFailed = failed + failedChecks.length;
process.exitCode = totalFailed > 0 || (skippedCount > 0 && process.env.CI) ? 1 : 0;
console.log(
  `${passed + checks - failedChecks.length} passed, ${totalFailed} failed${skippedCount ? `, ${skippedCount} skipped` : ''}`,
);
