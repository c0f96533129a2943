import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ApiError,
  type Call,
  type Columns,
  forbidden,
  type RunKind,
  type Sublist,
  ValidationError,
  type WriteContext,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkSavedPrompts, type SavedDeps } from '../../../runs/saved-prompts/check.ts';
import { nothingSaved, savedColumns } from '../../../runs/saved-prompts/fields.ts';
import type { RunKinds } from '../../../runs/kinds.ts';
import { launchRule } from '../../../runs/templates/launch-right.ts';
import { readVariables } from '../../../yaml/variables.ts';
import { nodeAccess } from '../rules.ts';
import { ofNodes } from './saved.ts';

/** contract B3, over the node as it will be. */
export async function checkNode(deps: SavedDeps, context: WriteContext): Promise<void> {
  const { trx, input, before } = context;
  const column = 'unified_job_template_id';
  if (!before && !input['identifier']) input['identifier'] = randomUUID();
  if (input['identifier'] === '') throw ValidationError.field('identifier', 'This field may not be blank.');
  const [old, now] = [before?.[column] ?? null, (column in input ? input[column] : before?.[column]) ?? null];
  // without a template they would belong to nothing
  if (now === null) delete input['max_retries'];
  // what it launches with is as much of a launch as the template
  if (old !== now || (await changesPrompts(context)))
    for (const id of new Set([old, now])) {
      const kind = await assertMayLaunch(trx, deps.kinds, context.call, id);
      // an approval belongs to the one node that it was made for: it would be gone with another that names it
      if (kind?.unlisted && id !== old) throw noTemplate(id);
    }
  await checkSavedPrompts(deps, context, ofNodes);
}

async function changesPrompts({ input, before }: WriteContext): Promise<boolean> {
  const given = savedColumns.filter((column) => column in input);
  const variables =
    typeof input['extra_data'] === 'string' ? await readOrKeep(input['extra_data']) : input['extra_data'];
  const now: Columns = { ...input, extra_data: variables ?? {} };
  const was: Columns = before ?? nothingSaved;
  return given.some((column) => !isDeepStrictEqual(now[column] ?? null, was[column] ?? null));
}

/** What is no variables is told where they are read. */
const readOrKeep = (text: string): Promise<unknown> => readVariables(text).catch(() => text);

/** Who makes a node, or says what it launches with, must be allowed to launch what it names; an approval is its workflow's own. */
async function assertMayLaunch(
  trx: Knex,
  kinds: RunKinds,
  { actor }: Pick<Call, 'actor'>,
  id: unknown,
): Promise<RunKind | undefined> {
  if (typeof id !== 'number') return undefined;
  const row = await trx('templates').where({ id }).first();
  const kind = row && kinds.ofTemplate(row.kind);
  if (!row || !kind) throw noTemplate(id);
  if (kind.unlisted) return kind;
  const rule = launchRule(kinds, row.kind);
  if (!rule || !(await rule.row(actor, row, trx))) throw forbidden(`You do not have the right to launch ${row.name}.`);
  return kind;
}

const noTemplate = (id: unknown) =>
  ValidationError.field('unified_job_template', `Invalid pk "${String(id)}" - object does not exist.`);

type GuardDeps = Pick<SavedDeps, 'kinds'> & { readonly db: Knex };

/** A list of what a node launches with: who changes it must be allowed to launch, as who changes the node. */
export const guarded = (deps: GuardDeps, list: Sublist): Sublist => ({
  ...list,
  offered: {
    row: async (actor, node, db = deps.db) =>
      (await nodeAccess.change.row(actor, node, db)) &&
      assertMayLaunch(db, deps.kinds, { actor }, node['unified_job_template_id']).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError) return false;
          throw error;
        },
      ),
  },
  async check(trx, node, child, call) {
    await assertMayLaunch(trx, deps.kinds, call, node['unified_job_template_id']);
    await list.check?.(trx, node, child, call);
  },
  async checkDetach(trx, node, _child, call) {
    await assertMayLaunch(trx, deps.kinds, call, node['unified_job_template_id']);
  },
});
