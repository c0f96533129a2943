import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { announce, SetupError } from './run.mjs';

/** Whoever holds the lock says so often that it lives; one that was killed does not, whoever has its number now. */
const beatMs = 5000;
const defaults = { staleMs: 30_000, waitMs: 30 * 60_000, pollMs: 200 };

/**
 * Two commands may be started at the same time on a fresh clone: the second waits for the first.
 * @throws SetupError when it has waited long enough, or may not write there
 */
export async function underLock(lock, work, limits = {}) {
  await take(lock, { ...defaults, ...limits });
  const beat = setInterval(() => touch(lock), beatMs);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    if (read(lock) === String(process.pid)) rmSync(lock, { force: true });
  }
}

async function take(lock, { staleMs, waitMs, pollMs }) {
  const until = Date.now() + waitMs;
  for (let waited = false; !tryToTake(lock); waited = true) {
    if (isStale(lock, staleMs)) {
      putAside(lock, staleMs);
      continue;
    }
    if (!waited) announce('another set-up is running; waiting for it …');
    if (Date.now() > until)
      throw new SetupError(
        `Another set-up (process ${read(lock) || 'unknown'}) has been running for ${Math.round(waitMs / 60_000)} minutes. End it, or remove ${lock}, and run the command again.`,
      );
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function tryToTake(lock) {
  try {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isStale(lock, staleMs) {
  const age = Date.now() - (changed(lock) ?? Date.now());
  const holder = Number(read(lock));
  return age > staleMs || (holder > 0 && !isAlive(holder));
}

/** Of two who find it stale one may be late: what it moved away is then the other's fresh lock, and goes back. */
function putAside(lock, staleMs) {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    if (!isStale(aside, staleMs)) linkSync(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(error.code)) throw error;
  }
  rmSync(aside, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function changed(file) {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
}

function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // taken away: whoever did so has it now
  }
}
