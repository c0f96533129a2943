import type { RunInContext } from '@tapline/plugin-sdk';
import { noWaitSql } from '../db/prepared.ts';
import { reloadRun } from '../runner/claim.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { type Settled, settled } from './settled.ts';

/** Nobody waits for the disk: whatever makes the run `pending` brings it along in the log, and a `new` one that dies is given up. */
const keepRevision = `with soon as (select ${noWaitSql} as said)
  update runs set scm_revision = ? from soon where id = ? and status = 'new' and soon.said is not null`;

/** Which files the run that is launched works with; null where it uses none. From here on it uses their commit. */
export async function ownSource(
  deps: ContentsDeps,
  asking: Asking,
  loaded: () => Promise<RunInContext>,
): Promise<Settled | null> {
  const { run: id, signal } = asking;
  const run = await loaded();
  const contentOf = deps.kinds.of(run.kind).content;
  const { project_id: project, updates_first: first } = run;
  if (!contentOf || project === null) return null;
  const updated = (first as number[]).includes(project);
  if (updated) await bringUpToDate(deps, asking, { project, depends: true });
  const content = await contentOf(updated ? await loadRun(deps, id) : run);
  const own = await settled({ id: project, name: run.project!['name'] as string }, content);
  signal.throwIfAborted();
  const { revision } = own.told;
  if (revision) await deps.db.raw(keepRevision, [revision, id]);
  return own;
}

export async function loadRun({ db }: ContentsDeps, id: number): Promise<RunInContext> {
  const run = await reloadRun(db, id);
  if (!run) throw new Error('The launch was given up.');
  return run;
}
