import type { SearchPath } from '@tapline/plugin-sdk';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const longest = 262_144;

/** The variables for search paths: ours, then the project's own or else the engine's. */
export function searchPaths(configuration: string, paths: readonly SearchPath[]): Record<string, string> {
  if (!paths.length) return {};
  const defaults = readDefaults(configuration);
  return Object.fromEntries(
    paths.map(({ variable, keys, first, otherwise }) => {
      const configured = keys.map((key) => defaults.get(key)).find((value) => value);
      return [variable, [...first, configured ?? otherwise].join(':')];
    }),
  );
}

/** The lines of the section [defaults]. Somebody else's file: no links, no pipes, nothing long. */
function readDefaults(file: string): Map<string, string> {
  const found = new Map<string, string>();
  let section = '';
  for (const line of readPlain(file).split('\n')) {
    const header = /^\[([^\]]+)\]/.exec(line);
    if (header) section = header[1]!.trim();
    const entry = /^([A-Za-z_]+)\s*[=:]\s*([^;\0]*)/.exec(line);
    if (entry && section === 'defaults') found.set(entry[1]!.toLowerCase(), entry[2]!.trim());
  }
  return found;
}

function readPlain(file: string): string {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    const about = fstatSync(opened);
    return about.isFile() && about.size <= longest ? readFileSync(opened, 'utf8') : '';
  } finally {
    closeSync(opened);
  }
}
