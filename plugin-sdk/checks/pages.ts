import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pages } from '../api.ts';

/** Never answered by a page, whatever is mounted: what is unknown there is an error for programs to read. */
export const reservedForPrograms = /^\/(?:api|sso|websocket|healthz|readyz|metrics|assistant)(?:\/|$)/;

/** What is wrong with a folder of pages; undefined where it can be served. */
export function pagesProblem({ path, folder, fallback = 'index.html', browse }: Pages): string | undefined {
  if (!path.startsWith('/') || reservedForPrograms.test(path)) return `nothing can be served at ${path}`;
  if (folder.protocol !== 'file:') return `folder ${folder.href} is no folder on disk`;
  const missing = [fallback, ...(browse === undefined ? [] : [browse])]
    .map((name) => join(fileURLToPath(folder), name))
    .find((page) => !statSync(page, { throwIfNoEntry: false })?.isFile());
  return missing && `${missing} is missing: build the pages first, and let the package bring them along`;
}
