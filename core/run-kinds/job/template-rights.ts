import { type WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type NeededRight, assertRights } from '../../rbac/rights.ts';
import { jobPrompts } from './launch/prompts.ts';

const harmless: ReadonlySet<string> = new Set([
  'name',
  'description',
  'forks',
  'limit',
  'verbosity',
  'extra_vars',
  'job_tags',
  'skip_tags',
  'force_handlers',
  'survey_enabled',
  'diff_mode',
  'timeout',
  'job_slice_count',
  ...jobPrompts.map(({ flag }) => flag),
]);

/** A change of more than harmless fields needs use of the project and the inventory, those before and those after (contract/jobs.md §2.6). */
export async function assertTemplateRights({ trx, call, input, before, sent }: WriteContext): Promise<void> {
  if (!before || call.actor?.is_superuser) return;
  const column = (name: string) => (`${name}_id` in input ? `${name}_id` : name);
  const changed = [...sent].filter(
    (name) => column(name) in input && (input[column(name)] ?? null) !== (before[column(name)] ?? null),
  );
  if (changed.every((name) => harmless.has(name))) return;
  const named = (type: 'project' | 'inventory'): NeededRight[] => {
    const ids = new Set([before[`${type}_id`], input[`${type}_id`]].filter((id): id is number => id != null));
    return [...ids].map((id) => ({ type, field: 'use_role', id }));
  };
  await assertRights(trx, call.actor, [...named('project'), ...named('inventory')]);
}

/** Whoever attaches a credential must be allowed to use it. */
export const assertMayUse = (trx: Knex, credential: { id: number }, call: WriteContext['call']): Promise<void> =>
  assertRights(trx, call.actor, [{ type: 'credential', field: 'use_role', id: credential.id }]);
