import type { Knex } from 'knex';
import type { Config } from '../../config/config.ts';
import type { Catalog } from '../../descriptors/compile.ts';
import type { EngineTool } from '../../runner/engine-tool.ts';
import type { Hooks } from '../../hooks/hooks.ts';
import type { Log } from '../../observe/log.ts';
import type { NotificationKinds } from '../../notifications/registry.ts';
import type { Outbound } from '../../outbound/request.ts';
import type { Bus } from '../../queue/bus.ts';
import type { Queue } from '../../queue/queue.ts';
import type { Doors } from '../../rbac/doors.ts';
import type { Contents } from '../../runs/contents.ts';
import type { RunEntries } from '../../runs/entries.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { LaunchDoor } from '../../runs/start.ts';
import type { Statuses } from '../../runs/status.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Registries } from '../registries.ts';

/** What core lends to plugins, each narrowed before it is handed on. */
export interface CoreServices {
  config: Config;
  registries: Registries;
  log: Log;
  settings: Settings;
  db: Knex;
  bus: Bus;
  kinds: RunKinds;
  statuses: Statuses;
  entries: RunEntries;
  keyRing: KeyRing;
  outbound: Outbound;
  engineTool: EngineTool;
  notificationKinds: NotificationKinds;
  sandbox: Sandbox;
  hooks: Hooks;
  doors: Doors;
  queue: Queue;
  launch: LaunchDoor;
  contents: Contents;
  readonly catalog: Catalog;
}
