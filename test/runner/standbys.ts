import { readdirSync, readFileSync } from 'node:fs';

export interface Found {
  pid: number;
  parent: number;
  session: number;
}

/** Processes that wait for jobs of a service; or below such a one, the wrappers that it became. */
export const standbys = (parent: number): Found[] => processes(parent).filter(({ ahead }) => !ahead);

/** Below a process that waits: what it forked for the next job. */
export const forkedAhead = (parent: number): Found[] => processes(parent).filter(({ ahead }) => ahead);

function processes(parent: number): (Found & { ahead: boolean })[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('standby.main')) return [];
        const [name, rest] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ') as [string, string];
        const [state, above, , session] = rest.split(' ');
        const ahead = name.endsWith('(tapline next');
        return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(above), session: Number(session), ahead }];
      } catch {
        return []; // it ended while we looked
      }
    })
    .filter((found) => found.parent === parent);
}
