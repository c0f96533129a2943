import { asFunction, asValue, type AwilixContainer, createContainer, type Resolver } from 'awilix';
import type { Knex } from 'knex';
import type pg from 'pg';
import { createDispatcher, type Dispatcher } from '../dispatch/dispatcher.ts';
import { createNode, type Node } from '../dispatch/node.ts';
import type { Engine } from '../engine/compile.ts';
import { createDoors, type Doors } from '../rbac/doors.ts';
import { createHooks, type Hooks } from '../hooks/hooks.ts';
import { TraceWriter } from '../hooks/trace-writer.ts';
import { type Audit, createAudit } from '../http/auth/audit.ts';
import { createAuditStream } from '../http/auth/audit-stream.ts';
import { authRoutes } from '../http/auth/auth-routes.ts';
import { type Auth, createAuth } from '../http/auth/authenticate.ts';
import { createPages } from '../http/pages.ts';
import { createHttp, type Http } from '../http/server.ts';
import { createWebsocket, type Websocket } from '../http/websocket.ts';
import { createBus, type PgBus } from '../jobs/pg-bus.ts';
import { createQueue, type Queue } from '../jobs/queue.ts';
import { createStatuses, type Statuses } from '../jobs/status.ts';
import { createLaunch, type LaunchService } from '../launch/launch.ts';
import { createRunEntries, type RunEntries } from '../launch/run-entries.ts';
import { createLog, type Log } from '../observe/log.ts';
import { measureQueue, measureStatuses, measureTap } from '../observe/measure.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import type { ReadyChecks } from '../observe/routes.ts';
import { createHealth, type PluginHealth } from '../plugins/health.ts';
import { createOutbound, type Outbound } from '../outbound/request.ts';
import { noPlugins } from '../plugins/prepare.ts';
import type { Registries } from '../plugins/registries.ts';
import { settingsOf } from '../plugins/settings.ts';
import { createEngineTool, type EngineTool } from '../runner/engine-tool.ts';
import type { Executor } from '../runner/executor.ts';
import { createIngest, type Ingest } from '../runner/ingest/ingest.ts';
import { createRunLifecycle, type RunLifecycle } from '../runner/lifecycle.ts';
import { createLocalExecutor } from '../runner/local-executor.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createKeyRing, type KeyRing } from '../secrets/key-ring.ts';
import { createSettings, type Settings } from '../settings/settings.ts';
import type { Config } from './config.ts';
import { createDb, createPool } from './database.ts';

export interface Services {
  config: Config;
  /** what plugins contribute */
  registries: Registries;
  pluginHealth: PluginHealth;
  log: Log;
  metrics: Metrics;
  settings: Settings;
  pool: pg.Pool;
  db: Knex;
  bus: PgBus;
  keyRing: KeyRing;
  outbound: Outbound;
  sandbox: Sandbox;
  audit: Audit;
  entries: RunEntries;
  auth: Auth;
  hooks: Hooks;
  hookTraces: TraceWriter;
  doors: Doors;
  queue: Queue;
  statuses: Statuses;
  dispatcher: Dispatcher;
  launch: LaunchService;
  engineTool: EngineTool;
  executor: Executor;
  ingest: Ingest;
  runLifecycle: RunLifecycle;
  node: Node;
  /** compiled in the boot phase of that name: it reads the database */
  engineApi: Engine;
  checks: ReadyChecks;
  http: Http;
  websocket: Websocket;
}

export type Container = AwilixContainer<Services>;

/** A service is made when it is first asked for: a web node never makes a dispatcher. */
const one = <T extends object>(make: (services: Services) => T) => asFunction(make).singleton();

type Wiring = { [K in keyof Services]?: Resolver<Services[K]> };

export function buildContainer(config: Config, registries: Registries = noPlugins()): Container {
  const container = createContainer<Services>({ strict: true });
  container.register({ config: asValue(config), registries: asValue(registries), ...platform, ...running, ...serving });
  return container;
}

/** What every node has. */
const platform = {
  pluginHealth: one(({ registries }) => createHealth(registries)),
  log: one(({ config }) => createLog({ config })),
  metrics: one(() => createMetrics()),
  settings: one(({ config, registries }) =>
    createSettings({ config, more: settingsOf(registries), idle: registries.idleKeys }),
  ),
  pool: one(({ config, log }) => createPool({ config, log })),
  db: one(({ config, log }) => createDb({ config, log })),
  bus: one(({ config, log }) => createBus({ config, log })),
  keyRing: one(({ config }) => createKeyRing({ config })),
  outbound: one(({ config, settings }) =>
    createOutbound({ settings, userAgent: `Tapline/${config.version}` }),
  ).disposer((outbound) => outbound.close()),
  sandbox: one(({ log }) => createSandbox({ log })).disposer((sandbox) => sandbox.stop()),
  audit: one(({ config, db, log, settings }) => {
    const record = createAuditStream({ db, settings, node: config.nodeName });
    return createAudit({ log, record });
  }),
  entries: one(({ config, settings }) => createRunEntries({ settings, node: config.nodeName })),
  auth: one(({ db, settings, audit }) => createAuth({ db, settings, audit })),
  doors: one(() => createDoors()),
  hookTraces: one(({ config, db, log }) => new TraceWriter({ db, node: config.nodeName, log })),
  hooks: one(({ log, metrics, hookTraces }) =>
    createHooks({
      log,
      observe: (record) => {
        measureTap(metrics, record);
        hookTraces.add(record);
      },
    }),
  ),
} satisfies Wiring;

/** Runs: how they come about, wait, and are carried out. */
const running = {
  queue: one(({ pool, log, metrics }) => measureQueue(createQueue({ pool, log }), metrics)),
  statuses: one(({ bus, hooks, queue, metrics }) => measureStatuses(createStatuses({ bus, hooks, queue }), metrics)),
  dispatcher: one(({ db, bus, statuses, log }) => createDispatcher({ db, bus, statuses, log })),
  launch: one(({ config, db, hooks, statuses, keyRing, settings, bus, entries, dispatcher }) => {
    // a node without the worker role dispatches nothing: others hear of the run over the bus
    const wake = config.roles.includes('worker') ? (run: number) => dispatcher.wake(run) : undefined;
    return createLaunch({ db, hooks, statuses, keyRing, settings, bus, entries, wake });
  }),
  engineTool: one(({ config, log }) => createEngineTool({ config, log })),
  executor: one(({ config, log, engineTool }) => createLocalExecutor({ config, log, engineTool })),
  ingest: one(({ db, bus, executor, log, settings, metrics }) =>
    createIngest({ db, bus, executor, log, settings, metrics }),
  ),
  runLifecycle: one(({ config, db, executor, engineTool, ingest, statuses, hooks, queue, keyRing, settings, log }) =>
    createRunLifecycle({ config, db, executor, engineTool, ingest, statuses, hooks, queue, keyRing, settings, log }),
  ),
  node: one(({ config, db, bus, statuses, dispatcher, runLifecycle, engineTool, queue, log }) =>
    createNode({ config, db, bus, statuses, dispatcher, runLifecycle, engineTool, queue, log }),
  ),
} satisfies Wiring;

/** What callers reach. */
const serving = {
  http: one(({ config, log, metrics, auth, audit, db, engineApi, bus, settings, checks, registries, pluginHealth }) =>
    createHttp({
      config,
      log,
      metrics,
      auth,
      engineApi,
      authRoutes: authRoutes({ db, settings, auth, audit, bus }),
      bus,
      settings,
      pages: createPages(registries.all('pages').map(({ item }) => item)),
      checks,
      pluginHealth,
    }),
  ),
  websocket: one(({ auth, bus, db, log, settings, engineApi, registries }) => {
    const groups = registries.all('groups').map(({ item }) => item);
    return createWebsocket({ auth, bus, db, log, settings, engineApi, groups });
  }),
} satisfies Wiring;
