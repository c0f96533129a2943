import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Can a user who owns nothing here reach `path`? Postgres and playbooks run as such users when we are root. */
export function isTraversable(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    try {
      if ((statSync(at).mode & 0o001) === 0) return false;
    } catch {
      // does not exist yet: made by us
    }
    if (at === dirname(at)) return true;
  }
}

/**
 * `data` in the checkout. As root below a private home the unprivileged users that we drop to could
 * not reach it: then a system folder, named after the checkout so that two of them never share one.
 */
export function defaultDataDir(root: string): string {
  if (process.getuid?.() !== 0 || isTraversable(root)) return join(root, 'data');
  return join('/var/lib/tapline', createHash('sha256').update(root).digest('hex').slice(0, 8));
}

export class DataDirError extends Error {
  override name = 'DataDirError';
}

/** @throws DataDirError where it cannot be made or written */
export function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new DataDirError(dataDirProblem(dataDir, error as NodeJS.ErrnoException), { cause: error });
  }
}

/** In one sentence, with the remedy. */
export function dataDirProblem(dataDir: string, { code = '', message }: NodeJS.ErrnoException): string {
  const user = process.getuid?.() ?? 'this user';
  const reasons: Record<string, string> = {
    EACCES: `user ${user} may not write there`,
    EPERM: `user ${user} may not write there`,
    EROFS: 'its file system is read-only',
    EEXIST: 'it is a file',
    ENOTDIR: 'a folder above it is a file',
    ENOSPC: 'the disk is full',
  };
  return (
    `The data folder ${dataDir} cannot be used: ${reasons[code] ?? message}. ` +
    `Set TAPLINE_DATA to a folder that user ${user} may write, or give this one to that user (chown -R ${user} ${dataDir}).`
  );
}
