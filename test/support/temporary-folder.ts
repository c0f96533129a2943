import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../../core/testing/server.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A folder that goes with this process, for what has no end of its own. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `tapline-${name}-`));
  atExit(() => removeFolder(folder));
  return folder;
}
