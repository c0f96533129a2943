import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecStatus, Executor, Handle } from '../../core/runner/executor.ts';

export const recordedFiles = { events: 'events.ndjson', stdout: 'stdout' } as const;

export interface RecordedExecutor extends Executor {
  /** What `status` says from now on. */
  state: ExecStatus;
  /** Tells whoever watches to look. */
  touch(): void;
  acknowledged: { events: number; stdout: number };
}

/** Serves a spool that lies in a folder, without a process: for replaying a recording and for measuring the ingest alone. */
export function createRecordedExecutor(state: ExecStatus = recordedExit(0)): RecordedExecutor {
  const watchers = new Set<(ended: boolean) => void>();
  const refuse = () => Promise.reject(new Error('a recording cannot be started'));
  return {
    id: 'recorded',
    state,
    acknowledged: { events: 0, stdout: 0 },
    touch: () => watchers.forEach((changed) => changed(true)),
    standBy: async () => undefined,
    close: () => undefined,
    start: refuse,
    recover: async () => null,
    held: async () => [],
    async status() {
      return this.state;
    },
    watch(_handle, changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    read: (handle, stream, offset, limit) => readAt(join(handle.workspace, recordedFiles[stream]), offset, limit),
    async acknowledge(_handle, stored) {
      this.acknowledged = stored;
    },
    cancel: async () => undefined,
    endAtLimit: async () => undefined,
    readFolder,
    localFolder: async (handle, folder) => join(handle.workspace, folder),
    cleanup: async () => undefined,
  };
}

export const recordedExit = (rc: number): ExecStatus => ({
  state: 'exited',
  exit: {
    rc,
    signal: null,
    reason: 'exit',
    detail: '',
    started: new Date().toISOString(),
    finished: new Date().toISOString(),
  },
});

async function readAt(path: string, offset: number, limit: number): Promise<Buffer> {
  const file = await open(path).catch(() => null);
  if (!file) return Buffer.alloc(0);
  try {
    const length = Math.max(0, Math.min(limit, (await file.stat()).size - offset));
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function* readFolder(handle: Handle, folder: string, only?: ReadonlySet<string>) {
  const path = join(handle.workspace, folder);
  for (const name of await readdir(path).catch(() => [])) {
    if (only && !only.has(name)) continue;
    const file = join(path, name);
    yield { name, content: await readFile(file, 'utf8'), mtimeMs: (await stat(file)).mtimeMs };
  }
}
