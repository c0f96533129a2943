import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { skippedSuites, type SkippedSuite } from './needs.ts';

export interface TestResult {
  passed: number;
  failed: number;
  skipped: SkippedSuite[];
}

/** Mocha's own listing, and the counts in a file for test/run.ts. */
class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.once('end', () => {
      const file = process.env.TEST_RESULT_FILE;
      const { passes = 0, failures = 0 } = runner.stats ?? {};
      const result: TestResult = { passed: passes, failed: failures, skipped: skippedSuites };
      if (file) writeFileSync(file, JSON.stringify(result));
    });
  }
}

// mocha loads a reporter by its default export
// oxlint-disable-next-line import/no-default-export
export default CountingReporter;
