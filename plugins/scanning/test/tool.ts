import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

/** A program that stands for a tool, outside of the service's data, which the sandbox hides. */
export function toolOf(script: string): string {
  const folder = temporaryFolder('tool');
  chmodSync(folder, 0o755);
  const path = join(folder, 'tool');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** It finds what it is given. */
export const finds = (found: readonly object[]): string => `cat <<'END'\n${JSON.stringify(found)}\nEND\nexit 2`;
