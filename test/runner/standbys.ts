import { readdirSync, readFileSync } from 'node:fs';

export interface Found {
  pid: number;
  parent: number;
  session: number;
}

/** Processes that wait for jobs of a service; or below such a one, the wrappers that it became. */
export function standbys(parent: number): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('standby.main')) return [];
        const [state, above, , session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
        return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(above), session: Number(session) }];
      } catch {
        return []; // it ended while we looked
      }
    })
    .filter((found) => found.parent === parent);
}
