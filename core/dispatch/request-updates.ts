import type { Knex } from 'knex';
import { runKey } from '../runs/locks.ts';
import type { Inserted, LaunchDoor } from '../runs/start.ts';
import { block } from './block.ts';
import type { Active } from './decide.ts';

interface Wanted {
  run: number;
  templates: number[];
}

/**
 * What runs need to be run first. One run per template serves every run that needs one; one that is under way already
 * is shared. Resolves to those that were made.
 */
export async function requestUpdates(
  trx: Knex,
  { launch }: { launch: Pick<LaunchDoor, 'insert'> },
  wanted: readonly Wanted[],
  active: readonly Active[],
): Promise<Inserted[]> {
  if (!wanted.length) return [];
  const updates = new Map(active.map(({ template, id, kind }) => [template, { id, kind }]));
  const inserted: Inserted[] = [];
  for (const { run, templates } of wanted)
    for (const template of templates) {
      if (updates.has(template)) continue;
      // they share the transaction, and there is seldom more than one
      // oxlint-disable-next-line no-await-in-loop
      const update = await launch.insert(trx, dependencyOf(run, template));
      inserted.push(update);
      updates.set(template, update.run);
    }
  const pairs = wanted.flatMap(({ run, templates }) =>
    templates.map((template) => ({ run, update: updates.get(template)! })),
  );
  await trx('run_dependencies')
    .insert(pairs.map(({ run, update }) => ({ run_id: run, depends_on: update.id })))
    .onConflict()
    .ignore();
  await block(
    trx,
    pairs.map(({ run, update: { id, kind } }) => ({
      run,
      on: runKey(id),
      reason: {
        code: 'dependency',
        text: `Waiting for ${kind} ${id} to finish.`,
        explanation: `waiting for ${kind}-${id} to finish`,
      },
    })),
  );
  return inserted;
}

export const dependencyOf = (run: number, template: number) => ({
  template,
  prompts: {},
  actor: null,
  authority: null,
  origin: { kind: 'dependency', id: run, client_ip: null },
  waiting: false,
});
