import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface PostmasterFile {
  pid: number;
  /** seconds since 1970 */
  startedAt: number;
  port: string;
  socketDir: string;
  status: string;
}

const fileOf = (data: string) => join(data, 'postmaster.pid');

/** Lines of postmaster.pid: pid, data folder, start time, port, socket folder, address, shared memory, status. */
export function readPostmasterFile(data: string): PostmasterFile | null {
  try {
    const lines = readFileSync(fileOf(data), 'utf8').split('\n');
    const [pid, , startedAt, port = '', socketDir = '', , , status = ''] = lines.map((line) => line.trim());
    return { pid: Number(pid), startedAt: Number(startedAt), port, socketDir, status };
  } catch {
    return null;
  }
}

/** Takes away what a dead server left, which would keep the next one from starting. */
export function removeLocks(data: string, { pid, port, socketDir }: PostmasterFile): void {
  removeLock(join(socketDir, `.s.PGSQL.${port}.lock`), pid);
  removeLock(fileOf(data), pid);
}

/**
 * Another process of ours may have removed it and started the next server meanwhile, whose file is put back: a server
 * that misses its file ends itself.
 */
function removeLock(file: string, pid: number): void {
  const aside = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    renameSync(file, aside);
    if (Number(readFileSync(aside, 'utf8').split('\n')[0]) !== pid) linkSync(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** After a restart of the machine the number may belong to another program, which Postgres itself finds out. */
export function isServerAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
  return !existsSync('/proc/self/stat') || processName(pid) === 'postgres';
}

/** Dead, but nobody has taken note: in a container whose first process does not, it stays so for ever. */
export const isUnreaped = (pid: number): boolean => /\) (\S)/.exec(statFields(pid))?.[1] === 'Z';

const processName = (pid: number) => /^\d+ \((.*)\)/.exec(statFields(pid))?.[1];

function statFields(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
