import { updateNow } from '../dispatch/update-now.ts';
import { runEnded } from '../runs/run-ended.ts';
import type { Asking, ContentsDeps } from './deps.ts';

/**
 * An update on launch comes before the decision. A run that `depends` on it does not wait for another one after it; a run
 * of others does not, since each of them has its own. @throws Error where it does not end well
 */
export async function bringUpToDate(
  deps: ContentsDeps,
  { run, signal }: Pick<Asking, 'run' | 'signal'>,
  { project, depends }: { project: number; depends: boolean },
): Promise<void> {
  const update = await runEnded(deps, await updateNow(deps, { run, template: project, depends }), signal);
  if (update?.status === 'successful') return;
  if (!update) throw new Error('The update of the project was deleted before it ended.');
  const { kind, id, status, job_explanation: why } = update;
  throw new Error(`The update of the project ended as ${status} (${kind} ${id}).${why ? ` ${why}` : ''}`);
}
