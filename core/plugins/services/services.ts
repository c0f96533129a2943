import {
  type AuditService,
  type Clock,
  type ContentService,
  type HttpService,
  type InventoryService,
  type LaunchService,
  type NotifyService,
  type Plugin,
  type PluginLog,
  type ProgramService,
  type Point,
  points,
  type RecurrenceService,
  type RunService,
  type SandboxService,
  type SecretService,
  type Tracer,
} from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { CoreServices } from './core-services.ts';
import { auditFor } from './audit.ts';
import { createInsights } from './insights.ts';
import { inventoriesOf } from './inventories.ts';
import { createPrograms } from '../../runner/programs.ts';
import { nextSpans } from '../../schedules/spans.ts';
import { offersTo } from '../points.ts';
import { publish } from './publish.ts';
import { launchFor, runsFor } from './launch-service.ts';
import { notifyBy } from './notify.ts';
import { secretsOf } from './secrets.ts';
import { tracerBy } from './tracer.ts';

/** What stands behind the door of one plugin: narrow, and named after it. */
export interface PluginServices {
  db: Knex;
  log: PluginLog;
  launch: LaunchService;
  runs: RunService;
  notify: NotifyService;
  audit: AuditService;
  sandbox: SandboxService;
  http: HttpService;
  programs: ProgramService;
  contents: ContentService;
  inventories: InventoryService;
  secrets: SecretService;
  recurrence: RecurrenceService;
  clock: Clock;
  tracer: Tracer;
  setting(key: string): unknown;
  addTasks(trx: Knex, requests: { name: string; payload: unknown; after_s?: number }[]): Promise<void>;
  publish(trx: Knex, group: string, item: string | number, message: Record<string, unknown>): Promise<void>;
  insight<T>(name: string, fallback: T): Promise<T>;
  /** what was offered there, judged by the point's schema */
  offers<T extends object>(point: string | Point<T>): readonly T[];
}

/** Core's services as a plugin gets them. What is made lazily in the container stays so. */
export function createPluginServices(core: CoreServices, plugin: Plugin): PluginServices {
  const { registries } = core;
  const lazily = <T extends object>(make: () => T): T => {
    let made: T | undefined;
    return new Proxy({} as T, { get: (_, key) => Reflect.get((made ??= make()), key) as unknown });
  };
  const log = core.log.child({ plugin: plugin.id });
  const offers = <T extends object>(point: string | Point<T>) => offersTo<T>(registries, point);
  return {
    db: core.db,
    log,
    launch: lazily(() => launchFor(core, plugin.id)),
    runs: lazily(() => runsFor(core, plugin.id)),
    notify: lazily(() => notifyBy(core)),
    audit: auditFor(core, plugin.id),
    sandbox: lazily(() => core.sandbox),
    http: lazily(() => core.outbound),
    programs: lazily(() => createPrograms(core)),
    contents: { ofProject: (project, options, work) => core.contents.ofProject(project, options, work) },
    inventories: inventoriesOf(core),
    secrets: secretsOf(core, plugin.id),
    recurrence: { spans: nextSpans },
    clock: { now: () => new Date() },
    tracer: tracerBy(() => offers(points.tracer)),
    setting: (key) => core.settings.state(key)?.value,
    addTasks: (trx, requests) => core.queue.addTasks(trx, requests),
    publish: (trx, group, item, message) => publish(core, plugin.id, { trx, group, item, message }),
    insight: createInsights(registries, log),
    offers,
  };
}
