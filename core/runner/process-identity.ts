import { readFileSync } from 'node:fs';

/** A pid alone may be reused: with its start time and the machine's boot it names one process for ever. */
export interface ProcessIdentity {
  pid: number;
  /** clock ticks after boot, as /proc/<pid>/stat has it */
  start: number;
  boot: string;
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

export function isAlive({ pid, start, boot }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the name in parentheses may hold anything; fields after it: state, parent, …, 20th is the start time
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] !== 'Z' && fields[0] !== 'X' && Number(fields[19]) === start;
  } catch {
    return false;
  }
}

/** @returns whether it was there to get the signal */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch {
    return false;
  }
}

/** `pid start boot`, as the wrapper writes it. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const [pid, start, boot] = text.trim().split(' ');
  return pid && start && boot && Number(pid) > 1 ? { pid: Number(pid), start: Number(start), boot } : null;
}
