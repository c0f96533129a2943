import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// what a renamed source left there would be packed along: a migration under both its names
rmSync('dist', { recursive: true, force: true });
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', '.'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
// the compiler takes TypeScript only
cpSync('pages', 'dist/pages', { recursive: true });
