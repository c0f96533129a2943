import type { Knex } from 'knex';
import { z } from 'zod';
import { deleteExpiredTokens } from '../accounts/expired-tokens.ts';
import { dropEmptyPartitions } from '../events/partitions.ts';
import { deleteOldTraces } from '../hooks/old-traces.ts';
import { deleteOldKeys } from '../http/idempotency.ts';
import { deleteUnusedFacts } from '../inventory/unused-facts.ts';
import { deleteGivenUpTasks } from '../jobs/given-up-tasks.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Log } from '../observe/log.ts';

interface HousekeepingDeps {
  db: Knex;
  queue: Pick<Queue, 'define' | 'cron'>;
  log: Log;
}

type Chore = (deps: HousekeepingDeps) => Promise<unknown>;

/** Minutes apart, so that they do not meet. */
const chores: Record<string, { match: string; run: Chore }> = {
  'core:drop-empty-partitions': { match: '7 * * * *', run: ({ db, log }) => dropEmptyPartitions(db, log) },
  'core:delete-unused-facts': { match: '17 */6 * * *', run: ({ db }) => deleteUnusedFacts(db) },
  'core:delete-expired-tokens': { match: '27 */6 * * *', run: ({ db }) => deleteExpiredTokens(db) },
  'core:delete-old-idempotency-keys': { match: '47 * * * *', run: ({ db }) => deleteOldKeys(db) },
  'core:delete-old-hook-traces': { match: '57 * * * *', run: ({ db }) => deleteOldTraces(db) },
  'core:delete-given-up-tasks': { match: '37 */6 * * *', run: ({ db }) => deleteGivenUpTasks(db) },
};

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
