import type { OriginKind } from '@tapline/plugin-sdk';

const core: OriginKind[] = [
  { kind: 'api', launchType: 'manual' },
  { kind: 'system', launchType: 'manual' },
  { kind: 'relaunch', launchType: 'relaunch' },
  { kind: 'schedule', launchType: 'scheduled' },
  { kind: 'workflow', launchType: 'workflow', variables: true },
  { kind: 'callback', launchType: 'callback', variables: true },
  { kind: 'webhook', launchType: 'webhook', variables: true },
  { kind: 'event', launchType: 'webhook', variables: true },
  { kind: 'dependency', launchType: 'dependency' },
  { kind: 'project', launchType: 'scm' },
];

/** What may start runs: core's own kinds of origins and those of plugins. */
export class Origins {
  readonly #kinds = new Map<string, OriginKind>();

  constructor(more: readonly OriginKind[] = []) {
    for (const origin of [...core, ...more]) this.#kinds.set(origin.kind, origin);
  }

  /** @throws Error for a kind that nobody declared */
  of(kind: string): Required<OriginKind> {
    const origin = this.#kinds.get(kind);
    if (!origin) throw new Error(`no kind of origin is called ${kind}: declare it by api.origin({ kind: "${kind}" })`);
    return { launchType: 'webhook', variables: false, ...origin };
  }
}

export const coreOrigins: readonly string[] = core.map(({ kind }) => kind);
