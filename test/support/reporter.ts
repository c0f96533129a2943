import { relative } from 'node:path';
import Mocha from 'mocha';
import type { SkippedSuite } from './needs.ts';

export interface TestResult {
  passed: number;
  failed: number;
  skipped: SkippedSuite[];
  /** where, which test, and what is wrong with the first lines of its stack */
  failures: string[];
  /** by file: of its tests and of what goes before and after them */
  milliseconds: Record<string, number>;
}

export const nothingYet = (): TestResult => ({ passed: 0, failed: 0, skipped: [], failures: [], milliseconds: {} });

/** So much of an error is told at the end: what was expected may be long, and the listing has all of it. */
const shownLines = 30;
const shownLength = 4000;

export function toldFailure(title: string, error: unknown): string {
  const { stack, message } = error instanceof Error ? error : { stack: undefined, message: String(error) };
  // a stack may have been cut or made elsewhere
  const text = stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`;
  const shown = text.slice(0, shownLength).trimEnd().split('\n').slice(0, shownLines);
  return [title, ...shown.map((line) => `    ${line}`)].join('\n');
}

/** Mocha's own listing; what it counts is added to `result`. */
export const reporterInto = (result: TestResult) =>
  class extends Mocha.reporters.Spec {
    constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
      super(runner, options);
      runner.on('fail', (test: Mocha.Runnable, error: Error) =>
        result.failures.push(toldFailure(`${relative('.', test.file ?? '')}: ${test.fullTitle()}`, error)),
      );
      runner.once('end', () => {
        result.passed += runner.stats?.passes ?? 0;
        result.failed += runner.stats?.failures ?? 0;
      });
    }
  };
