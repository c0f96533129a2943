import type { Access, Resource, RunKind } from '@tapline/plugin-sdk';

/** The kinds of runs that this service knows: core's and those of plugins that are on. Filled before anything runs. */
export class RunKinds {
  readonly #byKind = new Map<string, RunKind>();
  readonly #byTemplate = new Map<string, RunKind>();

  constructor(kinds: readonly RunKind[] = []) {
    for (const kind of kinds) this.add(kind);
  }

  /** @throws Error where another kind has that name or launches from the same templates */
  add(kind: RunKind): void {
    const clash = this.#byKind.has(kind.kind) ? `kind ${kind.kind}` : this.#clashingTemplate(kind);
    if (clash) throw new Error(`run kind ${kind.kind}: there is another ${clash}`);
    this.#byKind.set(kind.kind, kind);
    if (kind.template !== null) this.#byTemplate.set(kind.template, kind);
  }

  all(): RunKind[] {
    return [...this.#byKind.values()];
  }

  /** those that stand in the lists of runs and templates of every kind */
  listed(): RunKind[] {
    return this.all().filter(({ unlisted }) => !unlisted);
  }

  names(): string[] {
    return [...this.#byKind.keys()];
  }

  /** undefined for runs of a plugin that is off */
  find(kind: string): RunKind | undefined {
    return this.#byKind.get(kind);
  }

  /** @throws Error: the caller knows that there is one */
  of(kind: string): RunKind {
    const known = this.#byKind.get(kind);
    if (!known) throw new Error(`no kind of run is called ${kind}`);
    return known;
  }

  /** The kind of the runs that templates of this kind launch. */
  ofTemplate(template: string): RunKind | undefined {
    return this.#byTemplate.get(template);
  }

  /** What runs are launched from: the kind of the template, that of its runs, and who sees it. */
  templates(): { type: string; kind: string; access: Access }[] {
    return this.listed().flatMap(({ kind, template, resources = [] }) => {
      const resource = resources.find(({ type }) => type === template);
      return resource ? [{ type: resource.type, kind, access: resource.access }] : [];
    });
  }

  /** What the templates of this kind are. */
  templateResource(template: string): Resource | undefined {
    return this.ofTemplate(template)?.resources?.find(({ type }) => type === template);
  }

  #clashingTemplate({ template }: RunKind): string | undefined {
    return template !== null && this.#byTemplate.has(template) ? `kind for templates ${template}` : undefined;
  }
}
