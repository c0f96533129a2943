import { readFileSync, readlinkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Found {
  pid: number;
  command: string;
}

/** Processes that name a folder in command line or environment, or work in it: the wrappers, engines and tasks of the jobs below it. */
export function processesOf(folder: string): Found[] {
  return pids().flatMap((pid) => {
    const command = about(pid, 'cmdline');
    const named = command.includes(folder) || about(pid, 'environ').includes(folder) || placeOf(pid).startsWith(folder);
    return named ? [{ pid, command }] : [];
  });
}

/** The wrapper of a running job and the job's id: its folder is where it works. */
export function wrappers(jobs: string): { pid: number; run: number }[] {
  return processesOf(jobs).flatMap(({ pid, command }) => {
    const run = new RegExp(`^${jobs}/(\\d+)$`).exec(placeOf(pid))?.[1];
    return run && /wrapper|standby/.test(command) ? [{ pid, run: Number(run) }] : [];
  });
}

/** The engine of each running job: below its wrapper, and below the sandbox where there is one. */
export function engines(jobs: string): { pid: number; run: number }[] {
  const children = Map.groupBy(pids(), parentOf);
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return wrappers(jobs).flatMap(({ pid, run }) => {
    const engine = below(pid).find(
      (one) => nameOf(one) !== 'bwrap' && about(one, 'cmdline').includes('ansible-playbook'),
    );
    return engine ? [{ pid: engine, run }] : [];
  });
}

/** What waits for jobs, of these nodes. */
export const forkers = (nodes: readonly number[]): number[] =>
  pids().filter((pid) => nodes.includes(parentOf(pid)) && isForker(pid));

export const isForker = (pid: number): boolean =>
  about(pid, 'cmdline').includes('standby.main') && placeOf(pid) === '/';

export function postmaster(data: string): number | undefined {
  const pid = Number(read(join(data, 'postgres', 'data', 'postmaster.pid')).split('\n')[0]);
  return pid && about(pid, 'cmdline').includes(data) ? pid : undefined;
}

/** False when it ended by itself just now. */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

const pids = () =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && Number(name) !== process.pid ? [Number(name)] : []));

const about = (pid: number, what: 'cmdline' | 'environ' | 'stat') => read(`/proc/${pid}/${what}`).replaceAll('\0', ' ');
const nameOf = (pid: number) => /^\d+ \((.*)\)/.exec(about(pid, 'stat'))?.[1];
const parentOf = (pid: number) => Number(/\) \S (\d+)/.exec(about(pid, 'stat'))?.[1]);

/** Empty when it ended while we looked, or is somebody else's. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function placeOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
