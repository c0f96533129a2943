import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Beside the fetched source, so that it goes with that when an update starts again from nothing. */
const place = (cache: string) => join(cache, 'known_hosts');
const line = /^[\w.:,|=+/[\]-]{1,600} (?:ssh|ecdsa|sk)-[\w@.-]{1,60} [\w+/=]{1,4000}$/;
const mostLines = 100;

/** The keys of hosts that updates of a project saw, as ssh stores them; '' before the first one. */
export const knownHosts = (cache: string): Promise<string> => readFile(place(cache), 'utf8').catch(() => '');

/** Keeps what an update saw: whoever answers for one of these hosts with another key is refused from now on. */
export async function keepKnownHosts(cache: string, seen: string): Promise<void> {
  const lines = seen.split('\n').filter((one) => line.test(one));
  if (!lines.length) return;
  // whole or not at all: half a line would let anybody in
  await writeFile(`${place(cache)}.new`, `${lines.slice(0, mostLines).join('\n')}\n`, { mode: 0o600 });
  await rename(`${place(cache)}.new`, place(cache));
}
