import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { engineFiles } from './engine-files.ts';

/** A virtual environment's configuration takes 2 ms to read, and the wrapper needs nothing of it. */
export const interpreter = (python: string): string => (isAbsolute(python) ? realpathSync(python) : python);

/** Imported, not run: only a module's compiled form is kept, and compiling it costs 5 ms of every start. */
export const pythonArguments = (code: string, given: readonly string[]): string[] => [
  '-I',
  '-S',
  '-E',
  '-c',
  `import sys; sys.path.insert(0, sys.argv.pop(1)); ${code}`,
  engineFiles,
  ...given,
];
