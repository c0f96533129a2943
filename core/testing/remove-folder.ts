import { rmSync } from 'node:fs';

const patienceMs = 15_000;
const pauseMs = 50;
const nap = new Int32Array(new SharedArrayBuffer(4));

/** Takes a folder away with all that is in it, also while a process that is just ending still writes to it. */
export function removeFolder(folder: string): void {
  for (const deadline = performance.now() + patienceMs; ;) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOTEMPTY', 'EEXIST', 'EBUSY'].includes(code) || performance.now() > deadline) throw error;
      // nothing of this process can write meanwhile
      Atomics.wait(nap, 0, 0, pauseMs);
    }
  }
}
