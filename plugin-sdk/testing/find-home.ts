import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export const homeFile = '.tapline-home';

/**
 * The checkout of Tapline that tests run: by the environment, by a file beside the package, or the one this file lies in.
 * @param entry path below it of what must be there
 */
export function findHome(entry: readonly string[], start = process.cwd(), env = process.env): string {
  const named = env.TAPLINE_HOME;
  const noted = named ? undefined : noteAbove(start);
  const own = resolve(import.meta.dirname, '..', '..');
  const home = named ? resolve(named) : (noted?.home ?? own);
  if (existsSync(join(home, ...entry))) return home;
  const why = named ? 'TAPLINE_HOME is' : noted && `${noted.file} says`;
  throw new Error(
    `${why ? `${why} ${home}, where there is no Tapline that can be tested with` : 'No checkout of Tapline was found'}: ` +
      `set TAPLINE_HOME to one, or write its path into ${homeFile} beside package.json.`,
  );
}

function noteAbove(folder: string): { file: string; home: string } | undefined {
  const file = join(folder, homeFile);
  if (existsSync(file)) return { file, home: resolve(folder, readFileSync(file, 'utf8').trim()) };
  return folder === dirname(folder) ? undefined : noteAbove(dirname(folder));
}
