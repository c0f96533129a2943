import type { Knex } from 'knex';
import { createHooks } from '../../core/hooks/hooks.ts';
import { NotificationKinds } from '../../core/notifications/registry.ts';
import type { Bus } from '../../core/queue/bus.ts';
import { createDoors, type Doors } from '../../core/rbac/doors.ts';
import { coreKinds } from '../../core/run-kinds/core-kinds.ts';
import { createRunEntries } from '../../core/runs/entries.ts';
import { coreFollowing } from '../../core/runs/followers/followers.ts';
import { RunKinds } from '../../core/runs/kinds.ts';
import { Origins } from '../../core/runs/origins.ts';
import { createLaunchDoor } from '../../core/runs/start.ts';
import { createStatuses } from '../../core/runs/status.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { silentLog } from './log.ts';

/** Nobody listens. */
export const quietBus: Bus = {
  on: () => () => undefined,
  notify: async () => undefined,
  notifyAll: async () => undefined,
  parcel: () => ['nobody', '{}'],
};

/**
 * What descriptors take, made up from what is at hand: whatever is missing is missed only by whoever uses it.
 * `db`, `settings` and `doors` are worth giving.
 */
export function withRuns(given: Record<string, any>): any {
  const settings = given['settings'] ?? createSettings({ config: { settings: {} } });
  const doors: Doors = given['doors'] ?? createDoors();
  const { visible } = doors;
  const queue = { addTasks: async () => undefined };
  const notificationKinds = new NotificationKinds();
  const made = { config: { dataDir: '/nowhere' }, settings, doors, visible, bus: quietBus, queue, notificationKinds };
  const services: any = { ...made, ...given };
  const kinds = new RunKinds(coreKinds(services));
  const entries = createRunEntries({ settings, kinds, log: silentLog, node: 'test' });
  return Object.assign(services, { kinds, entries });
}

/** Core's runs on a database, without a service around them. */
export function createRuns(db: Knex, { hooks = createHooks({ log: silentLog }), bus = quietBus } = {}) {
  const { kinds, entries } = withRuns({ db });
  const queue = { addTasks: async () => undefined };
  const statuses = createStatuses(coreFollowing({ kinds, bus, hooks, queue }));
  const keyRing = { encrypt: (text: string) => text };
  const contents = { of: () => ({ get: async () => null, works: async () => [], discard: async () => undefined }) };
  const origins = new Origins();
  const launch = createLaunchDoor({ db, kinds, origins, hooks, statuses, keyRing, entries, contents, log: silentLog });
  return { bus, kinds: kinds as RunKinds, queue, statuses, launch };
}
