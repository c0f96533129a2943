import type { Knex } from 'knex';
import { createHooks } from '../../core/hooks/hooks.ts';
import type { Executor } from '../../core/runner/executor.ts';
import { createIngest } from '../../core/runner/ingest/ingest.ts';
import { createRunLifecycle, type RunLifecycle } from '../../core/runner/lifecycle.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { silentLog } from '../support/log.ts';
import { createRuns, quietBus } from '../support/runs.ts';

interface Bare {
  /** what the lifecycle gets */
  db: Knex;
  /** where statuses are written */
  there: Knex;
  executor: Executor;
  kind: object;
  giveUpAfterMs?: number;
}

/** Of jobs of one kind that the test makes up, without a service around. */
export function bareLifecycle({ db, there, executor, kind, ...patience }: Bare): RunLifecycle {
  const { statuses, queue } = createRuns(there);
  const common = { db, executor, log: silentLog };
  return createRunLifecycle({
    ...common,
    kinds: { find: () => kind, of: () => kind, names: () => ['job'] } as never,
    ingest: createIngest({
      ...common,
      bus: quietBus,
      settings: createSettings({ config: { settings: {} } }),
      ...patience,
    }),
    statuses,
    hooks: createHooks({ log: silentLog }),
    queue,
    keyRing: { decrypt: (text: string) => text } as never,
  });
}
