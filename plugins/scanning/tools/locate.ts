import { access, constants, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScanError } from '../scanner.ts';
import { exists } from './files.ts';

const installed = fileURLToPath(new URL('../../../.tools/', import.meta.url));

export interface Program {
  path: string;
  /** what it needs to see of the machine besides the system */
  shown: string[];
  bin: string;
  /** another one may say something else: that of its whole environment, since checks lie in other packages too */
  version: string;
}

/** @throws ScanError where there is none */
export async function locate(command: string): Promise<Program> {
  const places = command.includes('/')
    ? [command]
    : [
        join(installed, command, 'bin', command),
        ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, command)),
      ];
  for (const path of places) {
    // the first that is there
    // oxlint-disable-next-line no-await-in-loop
    if (await isProgram(path)) return described(path);
  }
  throw new ScanError(`The program ${command} is not installed; SCANNER_COMMANDS says which is used.`);
}

const described = async (path: string): Promise<Program> => ({
  path,
  shown: await neededBy(path),
  bin: dirname(path),
  version: await versionOf(path),
});

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => path.startsWith('/'),
    () => false,
  );

const system = ['/usr/', '/bin/', '/sbin/', '/lib/', '/opt/'];

const isEnvironment = (folder: string) => exists(folder, 'pyvenv.cfg');

/** The packages of its environment, alike on every node; of a program without one, where it lies and when it changed. */
async function versionOf(path: string): Promise<string> {
  const folder = dirname(dirname(path));
  const { mtimeMs, size } = await stat(path);
  if (!(await isEnvironment(folder))) return JSON.stringify([path, mtimeMs, size]);
  const lib = join(folder, 'lib');
  const pythons = (await readdir(lib)).filter((name) => name.startsWith('python')).toSorted();
  const packages = await Promise.all(pythons.map((python) => readdir(join(lib, python, 'site-packages'))));
  return JSON.stringify(
    packages
      .flat()
      .filter((name) => name.endsWith('.dist-info'))
      .toSorted(),
  );
}

/** A Python environment as a whole, and the Python that it was made with. */
async function neededBy(path: string): Promise<string[]> {
  const folder = dirname(dirname(path));
  const made = await readFile(join(folder, 'pyvenv.cfg'), 'utf8').catch(() => undefined);
  const home = made && /^home\s*=\s*(.+)$/m.exec(made)?.[1]?.trim();
  const needed = made === undefined ? [dirname(await realpath(path))] : [folder, ...(home ? [dirname(home)] : [])];
  return needed.filter((place) => !system.some((known) => `${place}/`.startsWith(known)) && place !== '/');
}
