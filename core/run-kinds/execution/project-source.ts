import { join } from 'node:path';
import { type CheckoutSource, type RunOfContent, SpecError } from '@tapline/plugin-sdk';
import { cachePath, resolveRevision } from '../../scm/cache.ts';

/**
 * The very commit that a job runs. One that was looked into before the start stays; else another branch is resolved in
 * what the last update fetched. Whether this node has it shows when it is checked out.
 * @throws SpecError
 */
export async function sourceOf(dataDir: string, run: Omit<RunOfContent, 'playbook'>): Promise<CheckoutSource> {
  const { project } = run;
  if (!project) throw new SpecError('The job has no project any more.');
  if (!project['scm_type']) {
    if (!project['local_path']) throw new SpecError(`Project "${project['name']}" names no folder.`);
    return { kind: 'folder', path: join(dataDir, 'projects', project['local_path']) };
  }
  const repository = cachePath(dataDir, project['id']);
  const revision = String(run['scm_revision'] || (await wanted(repository, run)));
  return { kind: 'git', repository, revision, submodules: true };
}

async function wanted(
  repository: string,
  { scm_branch: branch, project }: Omit<RunOfContent, 'playbook'>,
): Promise<string> {
  const name = JSON.stringify(project!['name']);
  if (branch && project!.signature_validation_credential_id !== null)
    throw new SpecError(
      `Project ${name} is verified by its signature: only what its last update verified can be run, and no other branch.`,
    );
  if (branch) {
    const revision = await resolveRevision(repository, String(branch));
    if (revision) return revision;
    throw new SpecError(`Project ${name} has no branch, tag or commit "${branch}" as of its last update.`);
  }
  if (project!['scm_revision']) return project!['scm_revision'];
  throw new SpecError(`Project ${name} has never been updated successfully, so there is nothing to run.`);
}
