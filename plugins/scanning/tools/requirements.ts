import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { ScanError } from '../scanner.ts';
import { assertInside } from './files.ts';

const harmless =
  /^(--hash|--require-hashes|--only-binary|--no-binary|--prefer-binary|--pre|-i|--index-url|--extra-index-url|--trusted-host|--no-index)\b/;
const other = /^(?:-r|--requirement|-c|--constraint)[\s=]*(\S+)/;
const mostFiles = 20;

/** @throws ScanError for a requirement that would be built from a place, or a file that lies elsewhere */
export async function checkRequirements(folder: string, file: string, seen = new Set<string>()): Promise<void> {
  if (seen.has(file)) return;
  seen.add(file);
  if (seen.size > mostFiles) throw new ScanError(`${file}: more than ${mostFiles} files of requirements.`);
  const text = (await readFile(join(folder, file), 'utf8')).replaceAll(/\\\r?\n/g, ' ');
  for (const line of text.split(/\r?\n/)) {
    const told = line.trim();
    if (!told.startsWith('-') || harmless.test(told)) continue;
    const named = other.exec(told)?.[1];
    if (named === undefined) throw new ScanError(`${file}: ${told.slice(0, 100)} is not allowed.`);
    const next = normalize(join(dirname(file), named));
    if (/^\w+:\/\//.test(named) || next.startsWith('..') || named.startsWith('/'))
      throw new ScanError(`${file}: ${named.slice(0, 100)} leads out of the project.`);
    // one after the other: they may name each other
    // oxlint-disable-next-line no-await-in-loop
    await assertInside(folder, next);
    // oxlint-disable-next-line no-await-in-loop
    await checkRequirements(folder, next, seen);
  }
}
