import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';

export interface StaticCheck {
  name: string;
  args: string[];
}

/** Each is a program of a package, run by the Node we run on. */
export const staticChecks: StaticCheck[] = [
  { name: 'types', args: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'] },
  { name: 'types of the kit', args: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console-kit'] },
  { name: 'types of the console', args: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'plugins/console/web'] },
  { name: 'lint', args: ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'format', args: ['node_modules/oxfmt/bin/oxfmt', '--check', '.'] },
];

/** Streams what the program says, to a file where one is named; resolves to its exit code. */
export function runNode(args: string[], env: NodeJS.ProcessEnv = process.env, output?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const to = output === undefined ? 'inherit' : openSync(output, 'w');
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', to, to], env });
    if (to !== 'inherit') closeSync(to);
    const forward = (signal: NodeJS.Signals) => child.kill(signal);
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      resolve(code ?? (signal ? 1 : 0));
    });
  });
}

export const mocha = (args: string[]) => [join('node_modules', 'mocha', 'bin', 'mocha.js'), ...args];

/** Runs every check, also after one failed; resolves to the names of those that did. */
export async function runStaticChecks(): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, args } of staticChecks) {
    console.log(`== ${name}`);
    if ((await runNode(args)) !== 0) failed.push(name);
  }
  return failed;
}
