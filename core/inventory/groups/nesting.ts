import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';

/** Groups by id or by name. */
interface Edge {
  parent_id: number | string;
  child_id: number | string;
}

/** The engine walks groups by calls within calls, and level by level again for each: thousands of levels end it, or take it minutes. */
export const mostLevels = 100;
export const tooDeep = `Groups are nested deeper than ${mostLevels} levels, which is more than the engine copes with.`;

/** How deep groups are nested: of those in no circle, each level once all above it are known. */
export function levelsOf(edges: readonly Edge[]): number {
  const children = Map.groupBy(edges, ({ parent_id: parent }) => parent);
  const parentsLeft = new Map<number | string, number>();
  for (const { child_id: child } of edges) parentsLeft.set(child, (parentsLeft.get(child) ?? 0) + 1);
  let level = [...children.keys()].filter((id) => !parentsLeft.has(id));
  let levels = 1;
  for (; level.length; levels += 1) {
    const below: (number | string)[] = [];
    for (const id of level)
      for (const { child_id: child } of children.get(id) ?? []) {
        const left = parentsLeft.get(child)! - 1;
        parentsLeft.set(child, left);
        if (left === 0) below.push(child);
      }
    if (!below.length) break;
    level = below;
  }
  return levels;
}

const walk = (from: 'parent_id' | 'child_id', to: 'parent_id' | 'child_id') => `(
  with recursive walked (id, level) as (
    select ?::bigint, 1 union select c.${to}, w.level + 1 from group_children c join walked w on c.${from} = w.id where w.level <= ${mostLevels})
  select max(level) from walked)`;

/** Before a group is put below another; there are no circles. @throws ApiError 400 */
export async function assertNotTooDeep(trx: Knex, parent: number, child: number): Promise<void> {
  const { rows } = await trx.raw(
    `select ${walk('child_id', 'parent_id')} + ${walk('parent_id', 'child_id')} as levels`,
    [parent, child],
  );
  if (rows[0].levels > mostLevels) throw new ApiError(400, { error: tooDeep });
}
