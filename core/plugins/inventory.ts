import type { ContributionKind, Contributions } from './door/contributions.ts';
import type { Registered } from './registries.ts';

/** How each contribution is called in lists; start and stop have no names. */
const names: { [K in ContributionKind]: (item: Contributions[K][number]) => string } = {
  resources: ({ path }) => path,
  runKinds: ({ kind }) => kind,
  templateKinds: ({ type }) => type,
  origins: ({ kind }) => kind,
  routes: ({ path }) => path,
  pages: ({ path }) => path,
  consolePages: ({ path }) => path,
  extensions: ({ type }) => type,
  permissions: ({ name }) => name,
  settings: ({ key }) => key,
  taps: ({ hook, options }) => `${hook} ${options.name}`,
  tasks: ({ name }) => name,
  crons: ({ task, match }) => `${task.name} ${match}`,
  groups: ({ name }) => name,
  health: () => 'health',
  navigation: ({ path }) => path,
  insights: ({ name }) => name,
  points: ({ name }) => name,
  offers: ({ point, implementation }) => `${point} ${calledBy(implementation)}`.trimEnd(),
  guards: ({ resource, operation }) => `${resource} ${operation}`,
  restrictions: ({ resource }) => resource,
  starts: () => 'onStart',
  stops: () => 'onStop',
};

/** Implementations tell themselves apart by one of these, if at all. */
export function calledBy(implementation: object): string {
  const { id, name, kind } = implementation as Record<string, unknown>;
  const told = id ?? name ?? kind;
  return typeof told === 'string' || typeof told === 'number' ? String(told) : '';
}

/** What a plugin contributes: number and names of each kind that it contributes at all. */
export function inventoryOf({ contributions }: Registered): Record<string, { count: number; names: string[] }> {
  const kinds = Object.entries(contributions) as [ContributionKind, readonly never[]][];
  return Object.fromEntries(
    kinds
      .filter(([, items]) => items.length)
      .map(([kind, items]) => [kind, { count: items.length, names: items.map(names[kind]) }]),
  );
}
