import type { LaunchContent, LaunchWork, PlannedPart, RunInContext } from '@tapline/plugin-sdk';
import { bringUpToDate } from './bring-up-to-date.ts';
import { Copies, type Project } from './copies.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import type { Settled } from './settled.ts';

/** Of one launch, workflows within workflows counted. */
export const mostParts = 10_000;

type Work = Omit<LaunchWork, 'content' | 'source'>;
export type Part = Omit<PlannedPart, 'node'> & Pick<Work, 'node'>;

/** All that a launch leads to. `own` are the files of the run itself, where it has any. */
export async function worksOf(
  deps: ContentsDeps,
  asking: Asking,
  own: {
    run(): Promise<RunInContext>;
    source(): Promise<Settled | null>;
    content(): Promise<LaunchContent | null>;
  },
): Promise<readonly LaunchWork[]> {
  const run = await own.run();
  const kind = deps.kinds.of(run.kind);
  if (kind.content && run.project) {
    const [source, content] = [async () => (await own.source())!.told, async () => (await own.content())!];
    return Object.freeze([Object.freeze({ ...ownWork(run), source, content })]);
  }
  const parts = (await kind.parts?.(run, mostParts)) ?? [];
  if (parts.length > mostParts)
    throw new Error(`The workflow leads to more than ${mostParts} nodes: its playbooks are not listed.`);
  const copies = new Copies(deps, asking, (project) => current(deps, asking, project));
  return worksOfParts(deps, parts, copies);
}

/** Those of kinds that use files, of projects that there are. */
export async function worksOfParts(
  deps: ContentsDeps,
  parts: readonly Part[],
  copies: Copies,
): Promise<readonly LaunchWork[]> {
  const projects = await projectsOf(deps, parts);
  const works = parts
    .filter((part) => deps.kinds.ofTemplate(part.kind)?.content && projects.has(part.project_id))
    .map((part) => {
      const project = projects.get(part.project_id)!;
      return Object.freeze({ ...partWork(part, project), ...copies.of(part, project) });
    });
  return Object.freeze(works);
}

const ownWork = ({ template, project, playbook, scm_branch: branch }: RunInContext): Work => ({
  template: template && named(template),
  node: null,
  workflow: null,
  project: named(project!),
  playbook,
  scm_branch: branch ?? '',
});

const partWork = ({ node, workflow, template, playbook, scm_branch }: Part, project: Project): Work => ({
  template: named(template),
  node,
  workflow: workflow && named(workflow),
  project: named(project),
  playbook,
  scm_branch,
});

const named = ({ id, name }: { id: number; name: string }) => Object.freeze({ id, name });

async function projectsOf(
  { db }: Pick<ContentsDeps, 'db'>,
  parts: readonly Pick<Part, 'project_id'>[],
): Promise<Map<number | null, Project>> {
  const ids = [...new Set(parts.map(({ project_id: id }) => id))].filter((id) => id !== null);
  if (!ids.length) return new Map();
  const rows: Project[] = await db('templates')
    .whereIn('id', ids)
    .select('id', 'name', 'status', 'scm_type', 'scm_branch', 'scm_revision', 'local_path', 'scm_track_submodules')
    .select('signature_validation_credential_id', 'scm_update_on_launch');
  return new Map(rows.map((row) => [row.id, row]));
}

/** As a launch finds it: after its update, where it is updated on launch. */
async function current(deps: ContentsDeps, asking: Asking, { id }: Project): Promise<Project> {
  const found = async () => {
    const project = (await projectsOf(deps, [{ project_id: id }])).get(id);
    if (!project) throw new Error('The project is gone.');
    return project;
  };
  const project = await found();
  if (!project.scm_type || !project.scm_update_on_launch) return project;
  await bringUpToDate(deps, asking, { project: id, depends: false });
  return found();
}
