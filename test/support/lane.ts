/**
 * One of the processes that share the test files: runs those that test/support/lanes.ts names, one after the other, on a
 * Postgres of its own, and tells the result of each.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { root } from '../../core/config/config.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from './hooks.ts';
import { skippedSuites } from './needs.ts';
import { nothingYet, reporterInto, type TestResult, toldFailure } from './reporter.ts';

const { timeout, ...forbidden } = JSON.parse(readFileSync(join(root, '.mocharc.json'), 'utf8'));

async function runFile(file: string): Promise<TestResult> {
  const result = nothingYet();
  const started = performance.now();
  const mocha = new Mocha({
    timeout,
    forbidOnly: forbidden['forbid-only'],
    forbidPending: forbidden['forbid-pending'],
    reporter: reporterInto(result) as never,
  });
  mocha.addFile(file);
  // else it would load once more, as CommonJS; its types do not name the method
  (mocha as any).lazyLoadFiles(true);
  try {
    await mocha.loadFilesAsync();
    await new Promise((resolve) => mocha.run(resolve));
  } catch (error) {
    // a broken import: nothing of the file was run
    result.failed += 1;
    result.failures.push(toldFailure(file, error));
  }
  // takes its listeners away: to what nobody caught in a later file they would answer by ending the process
  mocha.dispose();
  result.milliseconds[file] = performance.now() - started;
  result.skipped = skippedSuites.splice(0);
  return result;
}

process.on('message', async ({ file }: { file?: string }) => {
  if (file === undefined) {
    await mochaGlobalTeardown();
    process.exit(0);
  }
  await mochaGlobalSetup();
  process.send!(await runFile(file));
});
// whoever asked is gone
process.on('disconnect', () => process.exit(1));
