import type { Plugin } from '@tapline/plugin-sdk';
import type { z } from 'zod';
import { checkArgument, wrongArgument } from './arguments.ts';
import type { ContributionKind, Contributions, TaskContribution } from './contributions.ts';
import { inNameOf } from './in-name-of.ts';
import type { Registries } from '../registries.ts';
import type { PluginServices } from '../services/services.ts';

/** One call of the door that contributes something. What depends on the arguments is asked after they were checked. */
export interface Contributing<K extends ContributionKind> {
  /** as the author wrote it */
  call: string;
  kind: K;
  arguments: readonly (readonly [schema: z.ZodType, value: unknown])[];
  /** what is wrong with arguments of the right shape */
  problem?: () => string | undefined;
  /** names that there can be once: kind and name */
  claims?: () => (readonly [kind: string, name: string])[];
  item: () => Contributions[K][number];
}

/** What the parts of one plugin's door share. */
export interface Door {
  id: string;
  contribute<K extends ContributionKind>(given: Contributing<K>): Contributions[K][number];
  /** those that it has registered so far */
  tasks(): readonly TaskContribution[];
  /** @throws PluginError naming the call while `register` runs */
  services(call: string): PluginServices;
}

export function createDoor(plugin: Plugin, contributions: Contributions, registries: Registries): Door {
  const { id } = plugin;
  return {
    id,
    contribute({ call, kind, arguments: given, problem, claims, item: make }) {
      registries.assertRegistering(id, call);
      for (const [schema, value] of given) checkArgument(id, call, schema, value);
      const wrong = problem?.();
      if (wrong) throw wrongArgument(id, call, [wrong]);
      for (const [what, name] of claims?.() ?? []) registries.claim(id, call, what, name);
      const item = inNameOf(id, kind, make());
      (contributions[kind] as unknown[]).push(item);
      return item;
    },
    tasks: () => contributions.tasks,
    services: (call) => registries.services(plugin, call),
  };
}

/** `api.route("/api/v2/drift/")`: the call with what tells it from others of its kind. */
export const callOf = (name: string, ...told: unknown[]): string =>
  `api.${name}(${told.map((value) => JSON.stringify(value) ?? '').join(', ')})`;
