import type { Knex } from 'knex';
import type { Denial } from '@tapline/plugin-sdk';
import { ApiError } from '@tapline/plugin-sdk';
import { DECIDING_BEAT_MS } from '../dispatch/reaper.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { publicRun, type Statuses } from '../jobs/status.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { insertRun, type Launcher, type NewRun } from './insert-run.ts';
import { bindLaunch, isUnderKey } from './launch-key.ts';
import type { RunEntries } from './run-entries.ts';

export interface StartDeps {
  db: Knex;
  hooks: Hooks;
  statuses: Statuses;
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>;
  /** looks at the run at once when this process dispatches; others hear of it by NOTIFY */
  wake?: (run: number) => void;
  entries?: RunEntries;
}

export interface StartRequest extends Launcher {
  run: NewRun;
  template: Record<string, any> | null;
  /** Somebody waits for the answer: a denial is theirs and the run goes; else it is kept as failed. */
  waiting: boolean;
}

const EXPLANATION_LIMIT = 16_384;

/**
 * From the validated request to a pending run. Without taps it is one transaction; with taps the run
 * commits as `new` first, so that they may refer to it, and no transaction is open while they decide.
 */
export async function startRun(deps: StartDeps, request: StartRequest): Promise<any> {
  const run = deps.hooks.decidesLaunches() ? await startWithTaps(deps, request) : await startAtOnce(deps, request);
  deps.wake?.(run.id);
  return run;
}

/** One statement; a transaction only where queued taps or a key must learn of the run in it. */
async function startAtOnce(deps: StartDeps, { run }: StartRequest): Promise<any> {
  const { db, hooks, keyRing, statuses, entries } = deps;
  const open = async (trx: Knex) => {
    const along = [statuses.opening(), ...(entries?.ofInsertion() ?? [])];
    const opened = await insertRun(trx, keyRing, run, { status: 'pending', along });
    await statuses.opened(trx, opened);
    await bindLaunch(trx, opened);
    return opened;
  };
  return hooks.tapsOf('onStatusChange').length || isUnderKey() ? db.transaction(open) : open(db);
}

async function noteLaunch({ entries }: StartDeps, trx: Knex, run: { id: number }): Promise<void> {
  await bindLaunch(trx, run);
  await entries?.launched(trx, run);
}

async function startWithTaps(deps: StartDeps, request: StartRequest): Promise<any> {
  const { db, hooks, statuses } = deps;
  const run = await insertRun(db, deps.keyRing, request.run, { calmly: true });
  const { actor, authority, origin, template } = request;
  const { denial, lines } = await whileAlive(db, run.id, () =>
    hooks.decideLaunch({ run: publicRun(run), template: publicTemplate(template), actor, authority, origin }),
  );
  const explanation = storable([run.job_explanation, ...lines].filter(Boolean).join('\n'));
  if (denial && request.waiting) {
    await db('runs').where({ id: run.id, status: 'new' }).delete();
    throw new ApiError(denial.status, denial.body);
  }
  const started = await db.transaction(async (trx) => {
    if (denial)
      return statuses.setStatus(trx, run, 'failed', {
        job_explanation: [explanation, storable(refusal(denial))].filter(Boolean).join('\n'),
      });
    const moved = await statuses.setStatus(trx, run, 'pending', { job_explanation: explanation });
    if (moved) await noteLaunch(deps, trx, run);
    return moved;
  });
  if (!started)
    throw new ApiError(503, 'The launch took too long to be decided and was given up. Launch again.', {
      'Retry-After': '5',
    });
  return started;
}

/** What Postgres takes as text, and no more than anybody reads. */
const storable = (text: string): string => text.slice(0, EXPLANATION_LIMIT).toWellFormed().replaceAll('\0', '\uFFFD');

/** Of credentials taps learn which, not what is in them. */
const publicTemplate = (template: Record<string, any> | null): Record<string, any> | null =>
  Array.isArray(template?.['credentials'])
    ? { ...template, credentials: template['credentials'].map(({ id, name, type }) => ({ id, name, type })) }
    : template;

/** Taps may take long; the reaper must not take the run for an orphan meanwhile. */
async function whileAlive<T>(db: Knex, run: number, decide: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => {
    db('runs')
      .where({ id: run, status: 'new' })
      .update({ modified: db.fn.now() })
      .catch(() => undefined);
  }, DECIDING_BEAT_MS);
  try {
    return await decide();
  } finally {
    clearInterval(timer);
  }
}

function refusal({ body }: Denial): string {
  const reasons = Array.isArray(body['reasons']) ? body['reasons'].map(String) : [];
  return [String(body['detail'] ?? 'Launch refused.'), ...reasons].join('\n');
}
