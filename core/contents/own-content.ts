import type { LaunchContent, RunInContext } from '@tapline/plugin-sdk';
import { reloadRun } from '../runner/claim.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { readOnlyCopy } from './read-only-copy.ts';

/** The files of the run that is launched; null where it uses none. From here on it uses their commit. */
export async function ownContent(deps: ContentsDeps, asking: Asking): Promise<LaunchContent | null> {
  const { run: id, folder, signal } = asking;
  const run = await loadRun(deps, id);
  const contentOf = deps.kinds.of(run.kind).content;
  const { project_id: project, updates_first: first } = run;
  if (!contentOf || project === null) return null;
  const updated = (first as number[]).includes(project);
  if (updated) await bringUpToDate(deps, asking, { project, depends: true });
  const { source, entries } = await contentOf(updated ? await loadRun(deps, id) : run);
  const revision = source.kind === 'git' ? source.revision : '';
  signal.throwIfAborted();
  if (revision) await deps.db('runs').where({ id, status: 'new' }).update({ scm_revision: revision });
  await readOnlyCopy(source, folder, limitsOf(deps));
  return Object.freeze({
    project: Object.freeze({ id: project, name: run.project!['name'] }),
    revision,
    folder,
    entries: Object.freeze([...entries]),
  });
}

export const limitsOf = ({ settings }: ContentsDeps) => ({
  bytes: settings.get('CHECKOUT_MAX_BYTES'),
  files: settings.get('CHECKOUT_MAX_FILES'),
});

export async function loadRun({ db }: ContentsDeps, id: number): Promise<RunInContext> {
  const run = await reloadRun(db, id);
  if (!run) throw new Error('The launch was given up.');
  return run;
}
