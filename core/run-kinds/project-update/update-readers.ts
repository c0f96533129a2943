import type { MovedRun } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { afterCommit } from '../../db/after-commit.ts';
import type { LaunchDoor } from '../../runs/start.ts';

/**
 * Launches what reads its files from a project and wants to be run with each new commit of it, unless its last run has
 * read that commit already. In the transaction that ends the update; each of them depends on it.
 */
export async function updateReaders(
  { launch }: { launch: Pick<LaunchDoor, 'insert' | 'decide'> },
  trx: Knex,
  update: MovedRun,
  revision: string,
): Promise<void> {
  const readers: number[] = await trx('templates as t')
    .where({ 't.project_id': update.template_id, 't.update_on_project_update': true })
    .whereRaw(
      `not exists (select from runs r where r.id = t.last_run_id and r.status = 'successful' and r.scm_revision = ?)`,
      [revision],
    )
    .orderBy('t.id')
    .pluck('t.id');
  for (const template of readers) {
    // they share the transaction, and there are few of them
    // oxlint-disable-next-line no-await-in-loop
    const inserted = await launch.insert(trx, {
      template,
      prompts: {},
      actor: null,
      authority: null,
      origin: { kind: 'project', id: update.id, client_ip: null },
      waiting: false,
    });
    // oxlint-disable-next-line no-await-in-loop
    await trx('run_dependencies').insert({ run_id: inserted.run.id, depends_on: update.id });
    // one that is never decided is given up like any launch
    afterCommit(trx, () => void launch.decide(inserted).catch(() => undefined));
  }
}
