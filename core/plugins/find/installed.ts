import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPlugins, type Places } from './resolve.ts';

export interface InstalledPlugin {
  /** under which it can be switched on */
  name: string;
  kind: 'bundled' | 'package';
  version: string;
  description: string;
}

/** What can be switched on by name, told from the package files: nothing of it is imported. */
export function installedPlugins({ root, dataDir }: Places): InstalledPlugin[] {
  const bundled = bundledPlugins(root).map((name) => described(name, 'bundled', join(root, 'plugins', name)));
  const home = join(dataDir, 'plugins', 'node_modules');
  const packages = packageNames(home)
    .filter((name) => usesSdk(join(home, name)))
    .map((name) => described(name, 'package', join(home, name)));
  return [...bundled, ...packages];
}

function packageNames(home: string): string[] {
  if (!existsSync(home)) return [];
  return readdirSync(home).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(home, name)).map((inner) => `${name}/${inner}`) : [name],
  );
}

const sdk = '@tapline/plugin-sdk';

function usesSdk(folder: string): boolean {
  const { peerDependencies = {}, dependencies = {} } = manifest(folder);
  return sdk in peerDependencies || sdk in dependencies;
}

function described(name: string, kind: InstalledPlugin['kind'], folder: string): InstalledPlugin {
  const { version = '', description = '' } = manifest(folder);
  return { name, kind, version, description };
}

/** What counts of a package.json. */
interface Manifest {
  version?: string;
  description?: string;
  peerDependencies?: object;
  dependencies?: object;
}

function manifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** The known name that a mistyped one was likely meant to be. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(name, candidate) }))
    .toSorted((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** How many letters must be put in, taken out or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1)!;
}
