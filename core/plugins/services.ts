import type {
  AuditService,
  Clock,
  HttpService,
  LaunchService,
  NotifyService,
  Plugin,
  PluginLog,
  SandboxService,
  SecretService,
  Tracer,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Services } from '../app/container.ts';
import { auditFor } from './audit.ts';
import { createInsights } from './insights.ts';
import { publish } from './publish.ts';
import { launchFor } from './launch-service.ts';
import { type NotificationKind, notifyBy } from './notify.ts';
import { secretsOf } from './secrets.ts';
import { tracerBy } from './tracer.ts';

/** What stands behind the door of one plugin: narrow, and named after it. */
export interface PluginServices {
  db: Knex;
  log: PluginLog;
  launch: LaunchService;
  notify: NotifyService;
  audit: AuditService;
  sandbox: SandboxService;
  http: HttpService;
  secrets: SecretService;
  clock: Clock;
  tracer: Tracer;
  setting(key: string): unknown;
  addTasks(trx: Knex, requests: { name: string; payload: unknown }[]): Promise<void>;
  publish(trx: Knex, group: string, item: string | number, message: Record<string, unknown>): Promise<void>;
  insight<T>(name: string, fallback: T): Promise<T>;
  offers(point: string): readonly object[];
}

/** Core's services as a plugin gets them. What is made lazily in the container stays so. */
export function createPluginServices(core: Services, plugin: Plugin): PluginServices {
  const { registries } = core;
  const lazily = <T extends object>(make: () => T): T => {
    let made: T | undefined;
    return new Proxy({} as T, { get: (_, key) => ((made ??= make()) as any)[key] });
  };
  const log = core.log.child({ plugin: plugin.id });
  const offers = (point: string) =>
    registries.all('offers').flatMap(({ item }) => (item.point === point ? [item.implementation] : []));
  return {
    db: core.db,
    log,
    launch: lazily(() => launchFor(core)),
    notify: notifyBy(() => offers('notification.kind') as NotificationKind[]),
    audit: auditFor(core, plugin.id),
    sandbox: lazily(() => core.sandbox),
    http: lazily(() => core.outbound),
    secrets: secretsOf(core, plugin.id),
    clock: { now: () => new Date() },
    tracer: tracerBy(() => offers('tracer') as Tracer[]),
    setting: (key) => core.settings.state(key)?.value,
    addTasks: (trx, requests) => core.queue.addTasks(trx, requests),
    publish: (trx, group, item, message) => publish(core, plugin.id, { trx, group, item, message }),
    insight: createInsights(registries, log),
    offers,
  };
}
