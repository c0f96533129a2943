import type {
  AuditService,
  Clock,
  HttpService,
  LaunchService,
  NotifyService,
  Plugin,
  PluginLog,
  SandboxService,
  Tracer,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Services } from '../app/container.ts';
import { PluginError } from './error.ts';
import { createInsights } from './insights.ts';
import { launchFor } from './launch-service.ts';

/** What stands behind the door of one plugin: narrow, and named after it. */
export interface PluginServices {
  db: Knex;
  log: PluginLog;
  launch: LaunchService;
  notify: NotifyService;
  audit: AuditService;
  sandbox: SandboxService;
  http: HttpService;
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
  return {
    db: core.db,
    log,
    launch: lazily(() => launchFor(core)),
    notify: missing(plugin.id, 'notify', ['send']),
    audit: missing(plugin.id, 'audit', ['record']),
    sandbox: missing(plugin.id, 'sandbox', ['evaluate', 'render']),
    http: missing(plugin.id, 'http', ['request']),
    clock: { now: () => new Date() },
    tracer: { span: async (_name, work) => work({ set: () => undefined }) },
    setting: (key) => core.settings.state(key)?.value,
    addTasks: (trx, requests) => core.queue.addTasks(trx, requests),
    publish: () => Promise.reject(new PluginError(plugin.id, 'api.websocket.publish is not served yet')),
    insight: createInsights(registries, log),
    offers: (point) =>
      registries.all('offers').flatMap(({ item }) => (item.point === point ? [item.implementation] : [])),
  };
}

/** A service that this version of the core does not have yet says so when it is called. */
const missing = (plugin: string, name: string, methods: string[]): any =>
  Object.fromEntries(
    methods.map((method) => [
      method,
      () => Promise.reject(new PluginError(plugin, `api.${name}.${method} is not served by this version of the core`)),
    ]),
  );
