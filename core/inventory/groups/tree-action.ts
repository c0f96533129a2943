import { type Action, ApiError, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { levelsOf, mostLevels, tooDeep } from './nesting.ts';

/** A group stands below each of its parents, so a few dozen groups can make an endless tree. */
const maxNodes = 20_000;

type Children = Map<number, number[]>;

/** How often anything is written when the tree below `id` is; knows no cycles, since none can be stored. */
function treeSize(id: number, children: Children, known: Map<number, number>): number {
  const found = known.get(id);
  if (found !== undefined) return found;
  const size = (children.get(id) ?? []).reduce(
    (sum, child) => Math.min(Infinity, sum + treeSize(child, children, known)),
    1,
  );
  known.set(id, size);
  return size;
}

const below = {
  children: { type: 'array', items: { type: 'object' }, description: 'Groups with their own, to any depth.' },
};
const treeSchema = {
  type: 'array',
  items: {
    allOf: [
      { $ref: '#/components/schemas/group_entry' },
      { type: 'object', properties: below, required: ['children'] },
    ],
  },
};

/** `…/tree/`: the root groups, each with its groups below it, sorted by name. */
export function treeAction(db: Knex, see: Rule): Action {
  return {
    access: { GET: see },
    summary: 'The groups as a tree',
    answers: { GET: { schema: treeSchema } },
    async handler(call, inventory) {
      const groups: { id: number }[] = await db('groups')
        .select('id')
        .where({ inventory_id: inventory.id })
        .orderBy('name');
      const edges: { parent_id: number; child_id: number }[] = await db('group_children as c')
        .join('groups as g', 'g.id', 'c.child_id')
        .where('g.inventory_id', inventory.id)
        .orderBy('g.name')
        .select('c.parent_id', 'c.child_id');
      if (levelsOf(edges) > mostLevels) throw new ApiError(400, tooDeep);
      const children: Children = new Map(
        [...Map.groupBy(edges, (edge) => edge.parent_id)].map(([id, list]) => [id, list.map((edge) => edge.child_id)]),
      );
      const below = new Set(edges.map((edge) => edge.child_id));
      const roots = groups.map((group) => group.id).filter((id) => !below.has(id));
      const sizes = new Map<number, number>();
      if (roots.reduce((sum, id) => sum + treeSize(id, children, sizes), 0) > maxNodes) {
        throw new ApiError(
          400,
          `The groups form a tree of more than ${maxNodes} places: read them by /groups/ and their children instead.`,
        );
      }
      const shown = new Map(
        (
          await call.represent(
            'group',
            groups.map((group) => group.id),
            'list',
          )
        ).map((group) => [group.id as number, group]),
      );
      const grow = (id: number): Record<string, unknown> => ({
        ...shown.get(id),
        children: (children.get(id) ?? []).map(grow),
      });
      return { status: 200, body: roots.map(grow) };
    },
  };
}
