import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';

/**
 * The node's own name for life, kept beside its data: a restart and a change of host name (a new container)
 * keep it. Nodes that were given names of their own may share a data folder.
 */
export function nodeUuid(dataDir: string, nodeName: string): string {
  const named = nodeName !== hostname();
  const file = join(dataDir, named ? `node-uuid-${nodeName.replace(/[^\w.-]/g, '_')}` : 'node-uuid');
  const read = () => {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch {
      return '';
    }
  };
  const known = read();
  if (known) return known;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${randomUUID()}\n`, { mode: 0o600 });
  try {
    // the first of two processes wins
    linkSync(temporary, file);
  } catch {
    // the other one's is as good
  } finally {
    rmSync(temporary, { force: true });
  }
  return read();
}

/** What may be used, which in a container is less than the machine has. */
export async function measureMachine(): Promise<{ cpu: number; memory: number }> {
  const limit = Number(await readFile('/sys/fs/cgroup/memory.max', 'utf8').catch(() => ''));
  const memory = Number.isFinite(limit) && limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { cpu: availableParallelism(), memory };
}
