// Plain JavaScript without dependencies: the one file that the Node of a fresh machine (18 or newer) has to run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installEngine } from './engine.mjs';
import { installPackages } from './packages.mjs';
import { announce, beQuiet, SetupError } from './run.mjs';
import { installTestTools } from './test-tools.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const flags = new Set(process.argv.slice(2));
const lock = join(root, '.cache', 'setup.lock');

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Two commands may be started at the same time on a fresh clone: the second waits for the first. */
async function takeLock() {
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = false; ; waited = true) {
    try {
      return writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
    if (holder && !isAlive(holder)) rmSync(lock, { force: true });
    else if (!waited) announce('another set-up is running; waiting for it …');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

try {
  if (flags.has('--quiet')) beQuiet();
  await takeLock();
  try {
    await installPackages(root);
    if (!flags.has('--check')) await installEngine(root);
    if (flags.has('--test')) await installTestTools(root);
  } finally {
    rmSync(lock, { force: true });
  }
} catch (error) {
  announce(error instanceof SetupError ? error.message : (error?.stack ?? String(error)));
  process.exitCode = 1;
}
