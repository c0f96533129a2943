import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LaunchContent, LaunchWork, RunRow } from '@tapline/plugin-sdk';
import type { Contents, ContentsOfLaunch } from '../runs/contents.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { ownContent } from './own-content.ts';
import { removeCopy } from './read-only-copy.ts';
import { worksOf } from './works.ts';

/** What taps may look into before a run starts: made on this node, by whom its decision waits for. */
export function createContents(deps: ContentsDeps): Contents {
  const root = join(deps.config.dataDir, 'contents');
  return {
    of: (run) => contentsOf(deps, root, run),
    async removeLeftOvers() {
      const names = (await readdir(root).catch(() => [])).filter((name) => /^\d+$/.test(name));
      const undecided = new Set(await deps.db('runs').whereIn('id', names).where({ status: 'new' }).pluck('id'));
      const left = names.filter((name) => !undecided.has(Number(name)));
      await Promise.all(left.map((name) => removeCopy(join(root, name))));
      if (left.length) deps.log.info({ launches: left }, 'removed contents of launches that were never decided');
    },
  };
}

function contentsOf(deps: ContentsDeps, root: string, { id }: RunRow): ContentsOfLaunch {
  const over = new AbortController();
  const making: Promise<unknown>[] = [];
  const asking: Asking = {
    run: id,
    folder: join(root, String(id)),
    signal: over.signal,
    noted(made) {
      making.push(made);
      return made;
    },
  };
  let own: Promise<LaunchContent | null> | undefined;
  let works: Promise<readonly LaunchWork[]> | undefined;
  const get = () => (own ??= asking.noted(ownContent(deps, asking)));
  return {
    get,
    works: () => (works ??= worksOf(deps, asking, get)),
    async discard() {
      over.abort(new Error('the launch is decided'));
      if (!making.length) return;
      await Promise.allSettled(making);
      await removeCopy(asking.folder);
    },
  };
}
