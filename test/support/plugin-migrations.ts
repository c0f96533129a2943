import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const made: string[] = [];

/** A folder of migrations: the body of `up(knex)` by file name. */
export function migrationFolder(files: Record<string, string>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-plugin-'));
  made.push(folder);
  const url = pathToFileURL(`${folder}/`);
  for (const [name, body] of Object.entries(files)) addMigration(url, name, body);
  return url;
}

export const addMigration = (folder: URL, name: string, body: string) =>
  writeFileSync(new URL(name, folder), `export const up = async (knex) => { ${body} };\n`);

export const dropMigration = (folder: URL, name: string) => rmSync(join(fileURLToPath(folder), name));

export function removeMigrationFolders(): void {
  for (const folder of made.splice(0)) removeFolder(folder);
}
