import { SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { levelsOf, mostLevels, tooDeep } from '../groups/nesting.ts';

interface Edge {
  parent_id: number;
  child_id: number;
}

const shownAtMost = 5;

/** And no deep nesting. All groups at once: what a source says and what somebody put together by hand may make a circle between them. */
export async function assertNoLoops(trx: Knex, inventory: number): Promise<void> {
  const edges: Edge[] = await trx('group_children as c')
    .join('groups as g', 'g.id', 'c.parent_id')
    .where('g.inventory_id', inventory)
    .select('c.parent_id', 'c.child_id');
  const loop = loopIn(edges);
  if (!loop && levelsOf(edges) > mostLevels) throw new SpecError(`${tooDeep} Nothing was changed.`);
  if (!loop) return;
  const names: string[] = await trx('groups').whereIn('id', loop.slice(0, shownAtMost)).orderBy('name').pluck('name');
  throw new SpecError(`The groups ${shownNames(names, loop.length)} would contain each other. Nothing was changed.`);
}

/** Names for a message, of which there may be `count`. */
export const shownNames = (names: readonly string[], count = names.length): string =>
  `${names
    .slice(0, shownAtMost)
    .map((name) => JSON.stringify(name))
    .join(', ')}${count > shownAtMost ? ' …' : ''}`;

/** The ids of one circle, undefined where there is none. */
export function loopIn(edges: readonly Edge[]): number[] | undefined {
  const children = Map.groupBy(edges, ({ parent_id: parent }) => parent);
  const parentsLeft = new Map<number, number>();
  for (const { child_id: child } of edges) parentsLeft.set(child, (parentsLeft.get(child) ?? 0) + 1);
  const free = [...children.keys()].filter((id) => !parentsLeft.has(id));
  for (const id of free)
    for (const { child_id: child } of children.get(id) ?? []) {
      const left = parentsLeft.get(child)! - 1;
      if (left) parentsLeft.set(child, left);
      else {
        parentsLeft.delete(child);
        free.push(child);
      }
    }
  // each that is left has a parent that is left: upwards one comes back to where one was
  const [start] = parentsLeft.keys();
  if (start === undefined) return undefined;
  const parentOf = new Map(
    edges.filter(({ parent_id: parent }) => parentsLeft.has(parent)).map((edge) => [edge.child_id, edge.parent_id]),
  );
  const walked: number[] = [];
  const seen = new Map<number, number>();
  for (let id = start; ; id = parentOf.get(id)!) {
    const before = seen.get(id);
    if (before !== undefined) return walked.slice(before);
    seen.set(id, walked.push(id) - 1);
  }
}
