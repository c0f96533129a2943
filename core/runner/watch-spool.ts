import { type FSWatcher, watch } from 'node:fs';
import type { Workspace } from './workspace.ts';

/** A busy engine writes thousands of times a second: the first change is told at once, the rest in steps. */
const stepMs = 20;
/** Where the kernel tells nothing (a network file system, too many watches). */
const slowPollMs = 1000;

export function watchSpool({ spool, control }: Workspace, changed: (ended: boolean) => void): () => void {
  let timer: NodeJS.Timeout | null = null;
  let again = false;
  let closed = false;
  const tell = () => {
    if (closed) return;
    if (timer) {
      again = true;
      return;
    }
    timer = setTimeout(() => {
      timer = null;
      if (!again) return;
      again = false;
      tell();
    }, stepMs);
    changed(false);
  };
  const watchers: FSWatcher[] = [];
  const look = (folder: string, seen: (name: string | null) => void) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => seen(name));
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // the slow poll does it
    }
  };
  look(spool, tell);
  // the exit record, or that the last event is written; `ack` is our own doing
  look(control, (name) => void (name === 'ack' || closed || changed(true)));
  const poll = setInterval(() => changed(true), slowPollMs).unref();
  return () => {
    closed = true;
    clearInterval(poll);
    if (timer) clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
