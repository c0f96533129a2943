// Plain JavaScript without dependencies: the one file that the Node of a fresh machine (18 or newer) has to run.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installEngine, missingEngine } from './engine.mjs';
import { underLock } from './lock.mjs';
import { installPackages, missingPackages } from './packages.mjs';
import { announce, beQuiet, say, SetupError } from './run.mjs';
import { installTestTools } from './test-tools.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = new Set(process.argv.slice(2));
const dev = flags.has('--check') || flags.has('--test');
const engine = !flags.has('--check');

/** What there is to do, in a few words; it is looked for without writing anything. */
const missing = () => missingPackages(root, { dev }) ?? (engine ? missingEngine(root) : undefined);

async function installAll() {
  await installPackages(root, { dev });
  if (engine) await installEngine(root);
  if (flags.has('--test')) await installTestTools(root);
}

try {
  if (flags.has('--quiet')) beQuiet();
  const what = missing();
  if (what === undefined && !flags.has('--test')) say('packages and engine are in place');
  else
    await underLock(join(root, '.cache', 'setup.lock'), installAll).catch((error) => {
      if (!['EACCES', 'EROFS', 'EPERM'].includes(error.code)) throw error;
      throw new SetupError(
        `Something is missing (${what ?? 'tools of the tests'}), and user ${process.getuid()} may not write ${root}: run "npm run setup" as the user whom it belongs to.`,
      );
    });
} catch (error) {
  announce(error instanceof SetupError ? error.message : (error?.stack ?? String(error)));
  process.exitCode = 1;
}
