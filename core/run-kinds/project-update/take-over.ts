import type { Conclusion, EndedRun } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { CheckoutBudget } from '../../runner/checkout/checkout-budget.ts';
import { runLimits } from '../../runner/limits/run-limits.ts';
import { cachePath, importFetched } from '../../scm/cache.ts';
import { contentsWithModules, importModules } from '../../scm/modules.ts';
import type { Contents } from '../../scm/contents.ts';
import { repackIfMany } from '../../scm/repack.ts';
import { keepKnownHosts } from '../../scm/known-hosts.ts';
import { keepRequirements } from '../../scm/requirements.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { Settings } from '../../settings/settings.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { updateReaders } from './update-readers.ts';
import { assertKeyOfNow } from './verified-by.ts';

interface Deps {
  config: { dataDir: string };
  launch: LaunchDoor;
  settings: Settings;
  keyRing: KeyRing;
}

/** Takes what an update fetched into the cache of its project. Safe to do again after a restart: the same objects, the same refs. */
export async function takeOver(deps: Deps, ended: EndedRun): Promise<Conclusion | void> {
  if (ended.status !== 'successful') return undefined;
  const { config, settings } = deps;
  const { run } = ended;
  const result: Record<string, string> = {};
  for await (const { name, content } of ended.readFolder('result'))
    if (['refs', 'revision', 'known_hosts', 'modules'].includes(name)) result[name] = content;
  const cache = cachePath(config.dataDir, run.template_id!);
  try {
    const work = await ended.localFolder('.');
    const revision = await importFetched(cache, {
      work,
      refs: result['refs'] ?? '',
      revision: result['revision'] ?? '',
      replace: run['scm_delete_on_update'] === true,
    });
    const modules = await importModules(cache, { work, modules: result['modules'] ?? '', revision });
    await new CheckoutBudget(runLimits(settings).checkout).spendCommit(cache, revision);
    await keepRequirements(cache, revision, work);
    await keepKnownHosts(cache, result['known_hosts'] ?? '');
    await repackIfMany(cache);
    const contents = await contentsWithModules(cache, revision, modules);
    return {
      columns: { scm_revision: revision },
      async write(trx) {
        await writeProject(trx, run.template_id!, revision, contents);
        await assertKeyOfNow({ db: trx, keyRing: deps.keyRing }, run);
        if (run['shown_by_template']) await updateReaders(deps, trx, run, revision);
      },
    };
  } catch (error) {
    return { status: 'failed', explanation: `What was fetched could not be taken over: ${(error as Error).message}` };
  }
}

const writeProject = async (trx: Knex, project: number, revision: string, contents: Contents): Promise<void> =>
  void (await trx('templates')
    .where({ id: project })
    .update({
      scm_revision: revision,
      playbook_files: JSON.stringify(contents.playbooks),
      inventory_files: JSON.stringify(contents.inventories),
    }));
