/** Types, lint, format, architecture: what can be said without running the service. */
import { mocha, runNode, runStaticChecks } from './support/static-checks.ts';

const failed = await runStaticChecks();
console.log('== architecture');
// no database is started for it; the limit only ends what hangs
const options = ['--no-config', '--forbid-only', '--forbid-pending', '--timeout', '600000'];
if ((await runNode(mocha([...options, 'test/architecture.test.ts']))) !== 0) failed.push('architecture');

console.log(failed.length ? `check: failed in ${failed.join(', ')}` : 'check: all fine');
process.exitCode = failed.length ? 1 : 0;
