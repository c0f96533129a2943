import { join } from 'node:path';
import type { LaunchContent, LaunchSource, LaunchWork, PlannedPart, ProjectOfRun } from '@tapline/plugin-sdk';
import type { Asking, ContentsDeps } from './deps.ts';
import { filesOf, type Settled, settled } from './settled.ts';

export interface Project extends ProjectOfRun {
  scm_update_on_launch: boolean;
}

type Part = Pick<PlannedPart, 'kind' | 'playbook' | 'scm_branch'>;

/** One look at each project and one copy for each commit, however many works use it. */
export class Copies {
  readonly #deps: ContentsDeps;
  readonly #asking: Asking;
  /** a project as it is to be worked with */
  readonly #current: (project: Project) => Promise<Project>;
  readonly #projects = new Map<number, Promise<Project>>();
  readonly #made = new Map<string, Promise<LaunchContent>>();

  constructor(deps: ContentsDeps, asking: Asking, current: (project: Project) => Promise<Project>) {
    this.#deps = deps;
    this.#asking = asking;
    this.#current = current;
  }

  /** Both halves of a work, each made at its first call. */
  of(part: Part, project: Project): Pick<LaunchWork, 'source' | 'content'> {
    const settle = lazily(() => this.#asking.noted(this.#settle(part, project)));
    const source = (): Promise<LaunchSource> => settle().then(({ told }) => told);
    return { source, content: lazily(() => this.#asking.noted(settle().then((own) => this.#copy(own)))) };
  }

  async #settle({ kind, playbook, scm_branch }: Part, listed: Project): Promise<Settled> {
    this.#asking.signal.throwIfAborted();
    const project = await once(this.#projects, listed.id, () => this.#current(listed));
    const contentOf = this.#deps.kinds.ofTemplate(kind)!.content!;
    return settled(listed, await contentOf({ project, playbook, scm_branch, scm_revision: '' }));
  }

  async #copy(own: Settled): Promise<LaunchContent> {
    this.#asking.signal.throwIfAborted();
    const { folder } = await once(this.#made, JSON.stringify(own.from), () =>
      filesOf(this.#deps, own, join(this.#asking.folder, String(this.#made.size))),
    );
    return Object.freeze({ ...own.told, folder });
  }
}

function once<K, V>(known: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const made = known.get(key) ?? make();
  known.set(key, made);
  return made;
}

/** Made at the first call; all calls get the same. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
