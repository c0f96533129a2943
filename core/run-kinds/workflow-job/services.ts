import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import type { Queue } from '../../queue/queue.ts';
import type { Visible } from '../../runs/access.ts';
import type { RunEntries } from '../../runs/entries.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { Statuses } from '../../runs/status.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Log } from '../../observe/log.ts';

/** What workflows take from the service; asked for when something is done, since some of it is made of the kinds. */
export interface WorkflowServices {
  readonly db: Knex;
  readonly bus: Bus;
  readonly queue: Pick<Queue, 'addTasks'>;
  readonly keyRing: KeyRing;
  readonly settings: Settings;
  readonly visible: Visible;
  readonly kinds: RunKinds;
  readonly launch: LaunchDoor;
  readonly statuses: Statuses;
  readonly entries: RunEntries;
  readonly sandbox: Pick<Sandbox, 'evaluate'>;
  readonly log: Log;
}
