import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parseIdentity, type ProcessIdentity } from './process-identity.ts';

const folder = join(import.meta.dirname, 'engine');
/** Imported, not run: only a module's compiled form is kept, and compiling it costs 5 ms of every start. */
const begin = 'import sys; sys.path.insert(0, sys.argv.pop(1)); import wrapper; wrapper.main(sys.argv[1:])';
const startTimeoutMs = 30_000;

export interface WrapperOptions {
  python: string;
  job: string;
  /** as wrapper.py explains them */
  options: string[];
  argv: string[];
  env: Record<string, string>;
}

/** A virtual environment's configuration takes 2 ms to read, and the wrapper needs nothing of it. */
const interpreter = (python: string) => (isAbsolute(python) ? realpathSync(python) : python);

/**
 * Starts the wrapper in a session of its own and leaves it alone: it outlives this process.
 * Resolves with its identity once it has started the engine.
 */
export function launchWrapper({ python, job, options, argv, env }: WrapperOptions): Promise<ProcessIdentity> {
  const child = spawn(interpreter(python), ['-I', '-S', '-E', '-c', begin, folder, job, ...options, '--', ...argv], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.unref();
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => fail(new Error('it did not report within 30 s')), startTimeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      child.stderr.destroy();
      reject(new Error(`The engine could not be started: ${error.message}`, { cause: error }));
    };
    child.on('error', fail);
    child.stderr.on('error', fail);
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString();
      const identity =
        said.startsWith('started ') && said.endsWith('\n') ? parseIdentity(said.slice('started '.length)) : null;
      if (!identity) return;
      clearTimeout(timer);
      child.stderr.destroy();
      resolve(identity);
    });
    child.stderr.on('end', () => fail(new Error(said.trim().split('\n').at(-1) || 'it ended without a word')));
  });
}
