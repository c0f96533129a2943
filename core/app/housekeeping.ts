import type { Knex } from 'knex';
import { z } from 'zod';
import { deleteExpiredTokens } from '../accounts/expired-tokens.ts';
import { deleteOldAttempts } from '../accounts/login-attempts.ts';
import { removeOldEvents } from '../audit/retention.ts';
import { sealEvents } from '../audit/seal.ts';
import type { Catalog } from '../descriptors/compile.ts';
import { deleteOldActivity } from '../db/old-activity.ts';
import { dropEmptyPartitions } from '../events/partitions.ts';
import { deleteOldTraces } from '../hooks/old-traces.ts';
import { deleteOldKeys } from '../http/idempotency.ts';
import { resumeDeletions } from '../inventory/deletion.ts';
import { recountSmart } from '../inventory/smart/count.ts';
import { keepHostMetrics } from '../inventory/host-metrics.ts';
import { deleteUnusedFacts } from '../inventory/unused-facts.ts';
import { deleteOldNotifications } from '../notifications/old-notifications.ts';
import { deleteOldFailures } from '../queue/failing-tasks.ts';
import { deleteGivenUpTasks } from '../queue/given-up-tasks.ts';
import type { Queue } from '../queue/queue.ts';
import type { Log } from '../observe/log.ts';
import type { Settings } from '../settings/settings.ts';

interface HousekeepingDeps {
  db: Knex;
  queue: Pick<Queue, 'define' | 'cron' | 'addTasks'>;
  log: Log;
  catalog: Catalog;
  /** name of this node */
  node: string;
  settings: Pick<Settings, 'get'>;
}

type Chore = (deps: HousekeepingDeps) => Promise<unknown>;

/** Minutes apart, so that they do not meet. */
const chores: Record<string, { match: string; run: Chore }> = {
  'core:drop-empty-partitions': { match: '7 * * * *', run: ({ db, log }) => dropEmptyPartitions(db, log) },
  'core:delete-unused-facts': { match: '17 */6 * * *', run: ({ db }) => deleteUnusedFacts(db) },
  'core:delete-expired-tokens': {
    match: '27 */6 * * *',
    run: ({ db, settings }) => deleteExpiredTokens(db, settings.get('TOKEN_RETENTION_DAYS')),
  },
  'core:delete-old-login-attempts': { match: '44 * * * *', run: ({ db }) => deleteOldAttempts(db) },
  'core:delete-old-idempotency-keys': { match: '47 * * * *', run: ({ db }) => deleteOldKeys(db) },
  'core:delete-old-hook-traces': {
    match: '57 * * * *',
    run: ({ db, settings }) => deleteOldTraces(db, settings.get('HOOK_TRACE_RETENTION_DAYS')),
  },
  'core:delete-old-activity': {
    match: '41 * * * *',
    run: ({ db, settings }) => deleteOldActivity(db, settings.get('ACTIVITY_STREAM_RETENTION_DAYS')),
  },
  'core:count-smart-inventories': { match: '4,19,34,49 * * * *', run: ({ db, catalog }) => recountSmart(db, catalog) },
  'core:resume-deletions': { match: '2,12,22,32,42,52 * * * *', run: ({ db, queue }) => resumeDeletions(db, queue) },
  'core:seal-audit-events': { match: '* * * * *', run: sealAudit },
  'core:remove-old-audit-events': {
    match: '22 * * * *',
    run: ({ db, node, settings }) => removeOldEvents({ db, node, days: settings.get('AUDIT_RETENTION_DAYS') }),
  },
  'core:delete-old-notifications': {
    match: '32 * * * *',
    run: ({ db, settings }) => deleteOldNotifications(db, settings.get('NOTIFICATION_RETENTION_DAYS')),
  },
  'core:delete-given-up-tasks': {
    match: '37 */6 * * *',
    run: ({ db, settings }) => forgetFailures(db, settings.get('FAILED_TASK_RETENTION_DAYS')),
  },
  'core:keep-host-metrics': {
    match: '9 * * * *',
    run: ({ db, settings }) => keepHostMetrics(db, metricAges(settings)),
  },
};

const metricAges = (settings: HousekeepingDeps['settings']) => ({
  deleted: settings.get('CLEANUP_HOST_METRICS_SOFT_THRESHOLD'),
  gone: settings.get('CLEANUP_HOST_METRICS_HARD_THRESHOLD'),
});

/** The head in the log is a witness outside of the database. */
async function sealAudit({ db, log }: HousekeepingDeps): Promise<number> {
  const { sealed, head } = await sealEvents(db);
  if (sealed) log.info({ audit_seal: head.seq, audit_head: head.hash.toString('hex') }, 'audit log sealed');
  return 0;
}

async function forgetFailures(db: Knex, days: number): Promise<number> {
  return (await deleteGivenUpTasks(db, days)) + (await deleteOldFailures(db, days));
}

/** What nobody asks for and everybody needs: whatever is left over goes, once in all the cluster by the queue's clock. */
export function defineHousekeeping(deps: HousekeepingDeps): void {
  for (const [name, { match, run }] of Object.entries(chores)) {
    deps.queue.define(name, {
      // the clock adds the time it was due at; nothing else belongs to it
      schema: z.object({}),
      maxAttempts: 3,
      run: async () => deps.log.info({ task: name, removed: await run(deps) }, 'housekeeping done'),
    });
    deps.queue.cron({ task: name, match, identifier: name });
  }
}
