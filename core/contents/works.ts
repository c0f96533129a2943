import { join } from 'node:path';
import type { LaunchContent, LaunchWork, PlannedPart, ProjectOfRun, RunInContext } from '@tapline/plugin-sdk';
import { bringUpToDate } from './bring-up-to-date.ts';
import type { Asking, ContentsDeps } from './deps.ts';
import { limitsOf, loadRun } from './own-content.ts';
import { readOnlyCopy } from './read-only-copy.ts';

/** Of one launch, workflows within workflows counted. */
const mostParts = 10_000;

interface Project extends ProjectOfRun {
  scm_update_on_launch: boolean;
}

type Work = Omit<LaunchWork, 'content'>;

/** All that a launch leads to. `own` are the files of the run itself, where it has any. */
export async function worksOf(
  deps: ContentsDeps,
  asking: Asking,
  own: () => Promise<LaunchContent | null>,
): Promise<readonly LaunchWork[]> {
  const run = await loadRun(deps, asking.run);
  const kind = deps.kinds.of(run.kind);
  if (kind.content && run.project) return Object.freeze([workOf(ownWork(run), async () => (await own())!)]);
  const parts = (await kind.parts?.(run, mostParts)) ?? [];
  if (parts.length > mostParts)
    throw new Error(`The workflow leads to more than ${mostParts} nodes: its playbooks are not listed.`);
  const projects = await projectsOf(deps, parts);
  const copies = new Copies(deps, asking);
  const works = parts
    .filter((part) => deps.kinds.ofTemplate(part.kind)?.content && projects.has(part.project_id))
    .map((part) => {
      const project = projects.get(part.project_id)!;
      return workOf(partWork(part, project), () => asking.noted(copies.of(part, project)));
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

const partWork = ({ node, workflow, template, playbook, scm_branch }: PlannedPart, project: Project): Work => ({
  template: named(template),
  node,
  workflow: workflow && named(workflow),
  project: named(project),
  playbook,
  scm_branch,
});

const named = ({ id, name }: { id: number; name: string }) => Object.freeze({ id, name });

function workOf(work: Work, make: () => Promise<LaunchContent>): LaunchWork {
  let made: Promise<LaunchContent> | undefined;
  return Object.freeze({ ...work, content: () => (made ??= make()) });
}

async function projectsOf(
  { db }: ContentsDeps,
  parts: readonly Pick<PlannedPart, 'project_id'>[],
): Promise<Map<number | null, Project>> {
  const ids = [...new Set(parts.map(({ project_id: id }) => id))].filter((id) => id !== null);
  if (!ids.length) return new Map();
  const rows: Project[] = await db('templates')
    .whereIn('id', ids)
    .select('id', 'name', 'status', 'scm_type', 'scm_branch', 'scm_revision', 'local_path', 'scm_track_submodules')
    .select('signature_validation_credential_id', 'scm_update_on_launch');
  return new Map(rows.map((row) => [row.id, row]));
}

/** One update for each project and one copy for each commit, however many nodes work with it. */
class Copies {
  readonly #deps: ContentsDeps;
  readonly #asking: Asking;
  readonly #projects = new Map<number, Promise<Project>>();
  readonly #made = new Map<string, Promise<string>>();

  constructor(deps: ContentsDeps, asking: Asking) {
    this.#deps = deps;
    this.#asking = asking;
  }

  async of({ kind, playbook, scm_branch }: PlannedPart, { id, name }: Project): Promise<LaunchContent> {
    const { signal } = this.#asking;
    signal.throwIfAborted();
    const project = await once(this.#projects, id, () => this.#current(id));
    const contentOf = this.#deps.kinds.ofTemplate(kind)!.content!;
    const { source, entries } = await contentOf({ project, playbook, scm_branch, scm_revision: '' });
    signal.throwIfAborted();
    const folder = await once(this.#made, JSON.stringify(source), async () => {
      const target = join(this.#asking.folder, String(this.#made.size));
      await readOnlyCopy(source, target, limitsOf(this.#deps));
      return target;
    });
    return Object.freeze({
      project: named({ id, name }),
      revision: source.kind === 'git' ? source.revision : '',
      folder,
      entries: Object.freeze([...entries]),
    });
  }

  async #current(id: number): Promise<Project> {
    const found = async () => {
      const project = (await projectsOf(this.#deps, [{ project_id: id }])).get(id);
      if (!project) throw new Error('The project is gone.');
      return project;
    };
    const project = await found();
    if (!project.scm_type || !project.scm_update_on_launch) return project;
    await bringUpToDate(this.#deps, this.#asking, { project: id, depends: false });
    return found();
  }
}

function once<K, V>(known: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}
