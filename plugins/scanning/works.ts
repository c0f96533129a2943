import type { Launch, LaunchContent, LaunchWork } from '@tapline/plugin-sdk';
import { ScanError } from './scanner.ts';

/** Files that are looked at before a launch. */
export interface Work {
  content: LaunchContent | ScanError;
  /** of a workflow: the identifier of the first node that runs them */
  node: string | null;
}

const had = (content: Promise<LaunchContent | null>) => content.catch((error: Error) => new ScanError(error.message));

/** What a launch will run: of a workflow each playbook of each commit once, however many nodes run it. */
export async function worksOf(launch: Launch): Promise<Work[]> {
  if (launch.run.kind !== 'workflow_job') {
    const content = await had(launch.content());
    return content ? [{ content, node: null }] : [];
  }
  const works = await launch.contents().catch((error: Error) => new ScanError(error.message));
  if (works instanceof ScanError) return [{ content: works, node: null }];
  const distinct = new Map<string, LaunchWork>();
  for (const work of works) {
    const key = JSON.stringify([work.project.id, work.scm_branch, work.playbook]);
    if (!distinct.has(key)) distinct.set(key, work);
  }
  const found: Work[] = [];
  for (const work of distinct.values()) {
    // of one commit they share a folder, which the first makes
    // oxlint-disable-next-line no-await-in-loop
    const content = await had(work.content());
    if (content) found.push({ content, node: work.node });
  }
  return found;
}
