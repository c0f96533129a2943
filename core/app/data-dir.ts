import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
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
