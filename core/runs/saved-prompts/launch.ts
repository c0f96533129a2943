import type { Knex } from 'knex';
import type { PlanRequest, Row } from '@tapline/plugin-sdk';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { masked } from '../../secrets/masked.ts';
import type { Variables } from '../../yaml/variables.ts';
import { openAnswers } from './answers.ts';
import { listsOfSaved, valuesOf } from './fields.ts';
import type { SavedIn } from './store.ts';

/** What a saved set brings to a launch: `{ ...saved, template, origin, … }` is a request for the launch door. */
export type SavedLaunch = Required<Pick<PlanRequest, 'prompts' | 'secretVariables' | 'saved'>>;

type Lists = Record<string, number[]>;

const idsIn = ({ lists, key }: SavedIn) =>
  listsOfSaved.map(
    ({ name, column, order = column }) =>
      `coalesce((select array_agg(l.${column} order by l.${order}) from ${lists}_${name} l where l.${key} = s.id), '{}') as ${name}`,
  );

/** The lists of some rows, in one statement. */
export async function savedLists(db: Knex, saved: SavedIn, rows: readonly number[]): Promise<Map<number, Lists>> {
  if (!rows.length) return new Map();
  const { rows: found } = await db.raw<{ rows: (Lists & { id: number })[] }>(
    `select s.id, ${idsIn(saved).join(', ')} from unnest(?::bigint[]) s(id)`,
    [[...rows]],
  );
  return new Map(found.map(({ id, ...lists }) => [id, lists]));
}

/** Prompts by name: an empty list is none wished for. */
export const promptsOf = (row: Row, variables: Variables, lists?: Lists): Record<string, unknown> => ({
  ...valuesOf(row),
  ...(Object.keys(variables).length ? { extra_vars: variables } : {}),
  ...Object.fromEntries(Object.entries(lists ?? {}).filter(([, list]) => list.length)),
});

/** What a row of saved prompts, as stored, brings to its launch, with its lists. @throws where a secret answer cannot be read */
export function savedLaunch(
  keyRing: Pick<KeyRing, 'decrypt'>,
  saved: SavedIn,
  row: Row,
  lists: Lists | undefined,
): SavedLaunch {
  const open = Object.entries(row['extra_data'] as Variables).filter(([, value]) => value !== masked);
  const prompts = promptsOf(row, Object.fromEntries(open), lists);
  return { prompts, secretVariables: openAnswers(keyRing, saved.table, row), saved: true };
}
