import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LaunchContent, RunInContext, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { updateNow } from '../dispatch/update-now.ts';
import type { Log } from '../observe/log.ts';
import type { Bus } from '../queue/bus.ts';
import type { Contents, ContentsOfLaunch } from '../runs/contents.ts';
import type { RunKinds } from '../runs/kinds.ts';
import { runEnded } from '../runs/run-ended.ts';
import type { LaunchDoor } from '../runs/start.ts';
import type { Settings } from '../settings/settings.ts';
import { reloadRun } from '../runner/claim.ts';
import { readOnlyCopy, removeCopy } from './read-only-copy.ts';

export interface ContentsDeps {
  config: { dataDir: string };
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  settings: Settings;
  launch: LaunchDoor;
  log: Log;
}

/** What taps may look into before a run starts: made on this node, by whom its decision waits for. */
export function createContents(deps: ContentsDeps): Contents {
  const root = join(deps.config.dataDir, 'contents');

  function of({ id }: RunRow): ContentsOfLaunch {
    const folder = join(root, String(id));
    const over = new AbortController();
    let made: Promise<LaunchContent | null> | undefined;
    return {
      get: () => (made ??= makeContent(deps, id, folder, over.signal)),
      async discard() {
        over.abort(new Error('the launch is decided'));
        if (!made) return;
        await made.catch(() => undefined);
        await removeCopy(folder);
      },
    };
  }

  return {
    of: (run) => of(run),
    async removeLeftOvers() {
      const names = (await readdir(root).catch(() => [])).filter((name) => /^\d+$/.test(name));
      const undecided = new Set(await deps.db('runs').whereIn('id', names).where({ status: 'new' }).pluck('id'));
      const left = names.filter((name) => !undecided.has(Number(name)));
      await Promise.all(left.map((name) => removeCopy(join(root, name))));
      if (left.length) deps.log.info({ launches: left }, 'removed contents of launches that were never decided');
    },
  };
}

async function makeContent(
  deps: ContentsDeps,
  id: number,
  folder: string,
  signal: AbortSignal,
): Promise<LaunchContent | null> {
  const run = await loaded(deps, id);
  const contentOf = deps.kinds.of(run.kind).content;
  const { project_id: project, updates_first: first } = run;
  if (!contentOf || project === null) return null;
  const updated = (first as number[]).includes(project) && (await bringUpToDate(deps, id, project, signal));
  const { source, entries } = await contentOf(updated ? await loaded(deps, id) : run);
  const revision = source.kind === 'git' ? source.revision : '';
  signal.throwIfAborted();
  if (revision) await deps.db('runs').where({ id, status: 'new' }).update({ scm_revision: revision });
  await readOnlyCopy(source, folder, {
    bytes: deps.settings.get('CHECKOUT_MAX_BYTES'),
    files: deps.settings.get('CHECKOUT_MAX_FILES'),
  });
  return Object.freeze({
    project: Object.freeze({ id: project, name: run.project!['name'] }),
    revision,
    folder,
    entries: Object.freeze([...entries]),
  });
}

async function loaded({ db }: ContentsDeps, id: number): Promise<RunInContext> {
  const run = await reloadRun(db, id);
  if (!run) throw new Error('The launch was given up.');
  return run;
}

/** An update on launch comes before the decision then, and the run does not wait for another one after it. */
async function bringUpToDate(deps: ContentsDeps, run: number, project: number, signal: AbortSignal): Promise<true> {
  const update = await runEnded(deps, await updateNow(deps, run, project), signal);
  if (update?.status === 'successful') return true;
  if (!update) throw new Error('The update of the project was deleted before it ended.');
  const { kind, id, status, job_explanation: why } = update;
  throw new Error(`The update of the project ended as ${status} (${kind} ${id}).${why ? ` ${why}` : ''}`);
}
