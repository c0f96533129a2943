import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ScanError } from '../scanner.ts';

/** @throws ScanError for a file that is not there, or that a link leads out of the checkout to */
export async function assertInside(folder: string, file: string): Promise<void> {
  const root = await realpath(folder);
  const real = await realpath(join(folder, file)).catch(() => undefined);
  if (real === undefined) throw new ScanError(`${file} is not in the project.`);
  if (!real.startsWith(root + sep)) throw new ScanError(`${file} leads out of the project.`);
  if (!(await stat(real)).isFile()) throw new ScanError(`${file} is no file.`);
}

const longestPlaybook = 524_288;

/** What is no YAML is passed over in silence by some tools. @throws ScanError */
export async function assertYaml(folder: string, file: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  if (text.length > longestPlaybook) throw new ScanError(`${file} is longer than ${longestPlaybook} characters.`);
  const documents = parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false });
  const wrong = Array.isArray(documents) ? documents.flatMap(({ errors }) => errors)[0] : undefined;
  if (wrong) throw new ScanError(`${file} is no YAML: ${wrong.message.split('\n')[0]}`);
}

export const exists = (folder: string, file: string): Promise<boolean> =>
  realpath(join(folder, file)).then(
    () => true,
    () => false,
  );

/** As a tool names a file: within the folder, however it was told of it. */
export function within(path: string): string {
  const [, below] = path.split('/scan/', 2);
  return (below ?? path).replace(/^(\.?\/)+/, '');
}

/** @throws ScanError */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ScanError('The tool wrote no JSON that could be read.');
  }
}
