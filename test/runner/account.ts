import { appendFileSync, readFileSync, truncateSync } from 'node:fs';

const files = ['passwd', 'group', 'shadow', 'subuid', 'subgid'] as const;
const at = (file: string) => `/etc/${file}`;
const read = (file: string) => readFileSync(at(file), 'utf8');

/** The numbers in a column of a file of accounts. */
const numbersOf = (file: string, column: number) =>
  read(file)
    .split('\n')
    .map((line) => Number(line.split(':')[column]));

/**
 * Adds a system user with ids of its own for containers; what is returned takes it away. `useradd` would put new files in the place of
 * the old ones, and with those goes what sandboxes of other tests have bound over them: these are written to where they stand.
 */
export function addAccount(name: string, home: string): () => void {
  const taken = new Set([...numbersOf('passwd', 2), ...numbersOf('group', 2)]);
  const id = Array.from({ length: 400 }, (_, n) => 999 - n).find((one) => !taken.has(one));
  const ranges = ['subuid', 'subgid'].flatMap((file) => numbersOf(file, 1).filter((start) => start >= 0));
  const range = `${name}:${Math.max(1_000_000, ...ranges.map((start) => start + 65_536))}:65536\n`;
  const lines = {
    passwd: `${name}:x:${id}:${id}::${home}:/bin/sh\n`,
    group: `${name}:x:${id}:\n`,
    shadow: `${name}:!:19000::::::\n`,
    subuid: range,
    subgid: range,
  };
  for (const file of files) appendFileSync(at(file), lines[file]);
  return () => {
    for (const file of files) {
      const text = read(file);
      if (!text.endsWith(lines[file])) throw new Error(`${at(file)} was changed since: ${name} is left in it`);
      truncateSync(at(file), Buffer.byteLength(text) - Buffer.byteLength(lines[file]));
    }
  };
}
