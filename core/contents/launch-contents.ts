import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRow } from '@tapline/plugin-sdk';
import type { Contents, ContentsOfLaunch } from '../runs/contents.ts';
import { lazily } from './copies.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { loadRun, ownSource } from './own-content.ts';
import { projectWorks } from './project-works.ts';
import { removeCopy } from './read-only-copy.ts';
import { filesOf } from './settled.ts';
import { worksOf } from './works.ts';

/** What taps may look into before a run starts: made on this node, by whom its decision waits for. */
export function createContents(deps: ContentsDeps): Contents {
  const root = join(deps.config.dataDir, 'contents');
  // a process of another name may share the folder
  const ofProjects = `projects-${encodeURIComponent(deps.config.nodeName)}-`;
  return {
    of: (run) => contentsOf(deps, root, run),
    async ofProject(project, { signal }, work) {
      const { asking, discard } = createAsking(0, join(root, ofProjects + randomUUID()), signal);
      try {
        return await work(await projectWorks(deps, asking, project));
      } finally {
        await discard();
      }
    },
    async removeLeftOvers() {
      const names = await readdir(root).catch(() => []);
      const launches = names.filter((name) => /^\d+$/.test(name));
      const undecided = new Set(await deps.db('runs').whereIn('id', launches).where({ status: 'new' }).pluck('id'));
      const left = [
        ...launches.filter((name) => !undecided.has(Number(name))),
        ...names.filter((name) => name.startsWith(ofProjects)),
      ];
      await Promise.all(left.map((name) => removeCopy(join(root, name))));
      if (left.length) deps.log.info({ left }, 'removed files that were made for plugins of a former process');
    },
  };
}

function contentsOf(deps: ContentsDeps, root: string, { id }: RunRow): ContentsOfLaunch {
  const { asking, discard } = createAsking(id, join(root, String(id)));
  const run = lazily(() => loadRun(deps, id));
  const source = lazily(() => asking.noted(ownSource(deps, asking, run)));
  const get = lazily(() => asking.noted(source().then((own) => own && filesOf(deps, own, asking.folder))));
  return { get, works: lazily(() => worksOf(deps, asking, { run, source, content: get })), discard };
}

/** Somebody who asks for files, and what ends that. */
function createAsking(run: number, folder: string, given?: AbortSignal) {
  const over = new AbortController();
  const making: Promise<unknown>[] = [];
  const asking: Asking = {
    run,
    folder,
    signal: given ? AbortSignal.any([given, over.signal]) : over.signal,
    noted(made) {
      making.push(made);
      return made;
    },
  };
  const discard = async () => {
    over.abort(new Error('nobody asks any more'));
    if (!making.length) return;
    await Promise.allSettled(making);
    await removeCopy(folder);
  };
  return { asking, discard };
}
