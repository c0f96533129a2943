import type { LaunchContent, LaunchSource, LaunchWork } from '@tapline/plugin-sdk';
import { ScanError } from './scanner.ts';

/** Files that are looked at. */
export interface Work {
  source: LaunchSource | ScanError;
  /** @throws ScanError where they cannot be had */
  files(): Promise<LaunchContent>;
  /** of a workflow: the identifier of the first node that runs them */
  node: string | null;
}

const scanError = (error: unknown): ScanError =>
  new ScanError(`The files could not be had: ${(error as Error).message}`.slice(0, 500));

/** What a launch will run, each playbook of each commit once, however many nodes run it. */
export async function worksOf(contents: () => Promise<readonly LaunchWork[]>): Promise<Work[]> {
  const works = await contents().catch(scanError);
  if (works instanceof ScanError) return [{ source: works, files: () => Promise.reject(works), node: null }];
  const found: Work[] = [];
  for (const work of distinct(works))
    // a project that is updated on launch is updated now
    // oxlint-disable-next-line no-await-in-loop
    found.push(await settled(work));
  return found;
}

export const settled = async (work: LaunchWork): Promise<Work> => ({
  source: await work.source().catch(scanError),
  files: () =>
    work.content().catch((error: unknown) => {
      throw scanError(error);
    }),
  node: work.node,
});

function distinct(works: readonly LaunchWork[]): LaunchWork[] {
  const found = new Map<string, LaunchWork>();
  for (const work of works) {
    const key = JSON.stringify([work.project.id, work.scm_branch, work.playbook]);
    if (!found.has(key)) found.set(key, work);
  }
  return [...found.values()];
}
