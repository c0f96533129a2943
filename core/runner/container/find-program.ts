import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of that name on PATH; null where there is none. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  const places = [...path.split(delimiter).filter(Boolean), '/usr/local/bin', '/usr/bin', '/bin'];
  return places.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
