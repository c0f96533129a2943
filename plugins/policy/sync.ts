import { type PluginApi, type Task, z } from '@tapline/plugin-sdk';
import { type Engine, EngineError } from './engine/client.ts';
import { moduleName } from './judge.ts';
import { engineSettings } from './settings.ts';

export interface Sync {
  /** what the engine holds of one policy becomes what is stored of it; false: it could not be, which is noted */
  one(policy: number): Promise<boolean>;
  /** in a transaction: later, until it succeeds */
  later: Task<{ policy: number }>;
}

interface Stored {
  id: number;
  rego_module: string;
  last_sync_status: string;
}

const own = /^policy_(\d{1,15})$/;

/** The engine forgets all when it is restarted: each save pushes, a failure is tried again, and each minute both are compared. */
export function createSync(api: PluginApi, engine: Engine): Sync {
  const one = (policy: number) => syncOne(api, engine, policy);
  const later = api.task(
    'sync-policy',
    { schema: z.object({ policy: z.int() }), maxAttempts: 8 },
    async ({ policy }) => {
      if (engineSettings(api).enabled && !(await one(policy))) throw new Error('The engine did not take it.');
    },
  );
  const everything = api.task('sync-policies', { schema: z.object({}), maxAttempts: 1 }, () => syncAll(api, engine));
  api.cron({ task: everything, match: '* * * * *', payload: {} });
  api.onStart(() => (engineSettings(api).enabled ? everything.enqueue(api.db, {}) : undefined));
  return { one, later };
}

async function syncOne(api: PluginApi, engine: Engine, id: number): Promise<boolean> {
  const problem = await api.db.transaction(async (trx) => {
    // one save after the other: what was stored last is what the engine gets last
    await trx.raw(`select pg_advisory_xact_lock(hashtext('plugin_policy.sync'), ?)`, [id]);
    const row: Stored | undefined = await trx(api.table('policies')).where({ id }).first('id', 'rego_module');
    try {
      await (row ? engine.push(moduleName(id), row.rego_module) : engine.remove(moduleName(id)));
      return undefined;
    } catch (err) {
      if (!(err instanceof EngineError)) throw err;
      api.log.warn({ err, policy: id }, 'a policy could not be pushed to the engine, or removed from it');
      return err.message;
    }
  });
  const [status, error] = problem === undefined ? ['ok', ''] : ['failed', problem];
  await api
    .db(api.table('policies'))
    .where({ id })
    .whereRaw('(last_sync_status, last_sync_error) is distinct from (?, ?)', [status, error])
    .update({ last_sync_status: status, last_sync_error: error });
  return problem === undefined;
}

async function syncAll(api: PluginApi, engine: Engine): Promise<void> {
  if (!engineSettings(api).enabled) return;
  const rows: Stored[] = await api.db(api.table('policies')).orderBy('id').select('id', 'last_sync_status');
  let held: string[];
  try {
    held = await engine.list();
  } catch (err) {
    api.log.warn({ err }, 'the policy engine could not be asked what it holds');
    return;
  }
  const wanted = new Set(rows.map(({ id }) => id));
  const lacking = rows.filter(({ id, last_sync_status: status }) => status !== 'ok' || !held.includes(moduleName(id)));
  const gone = held.flatMap((name) => own.exec(name)?.[1] ?? []).filter((id) => !wanted.has(Number(id)));
  for (const id of [...lacking.map((row) => row.id), ...gone.map(Number)])
    // the engine compiles all that it holds with each push
    // oxlint-disable-next-line no-await-in-loop
    await syncOne(api, engine, id);
}
