import type { Knex } from 'knex';
import type { Queue } from '../../queue/queue.ts';
import type { Bus } from '../../queue/bus.ts';
import type { RunEntries } from '../../runs/entries.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { Statuses } from '../../runs/status.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Settings } from '../../settings/settings.ts';

/** What approvals take from the service; asked for when something is done. */
export interface ApprovalServices {
  readonly db: Knex;
  readonly bus: Bus;
  readonly queue: Pick<Queue, 'addTasks'>;
  readonly kinds: RunKinds;
  readonly statuses: Statuses;
  readonly entries: Pick<RunEntries, 'voted'>;
  readonly sandbox: Pick<Sandbox, 'render'>;
  readonly settings: Settings;
}
