import type { SwitchDeps } from '../plugins/switch/switches.ts';
import { lookApart } from './look/look-apart.ts';
import { asFunction, asValue, type AwilixContainer, createContainer, type Resolver } from 'awilix';
import { points, type RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type pg from 'pg';
import { createDispatcher, type Dispatcher } from '../dispatch/dispatcher.ts';
import { createNode, type Node } from '../dispatch/node.ts';
import type { Catalog } from '../descriptors/compile.ts';
import { createDoors, type Doors } from '../rbac/doors.ts';
import { createHooks, type Hooks } from '../hooks/hooks.ts';
import { TraceWriter } from '../hooks/trace-writer.ts';
import { type Audit, createAudit } from '../accounts/audit.ts';
import { createAuditStream } from '../accounts/audit-stream.ts';
import { authRoutes } from '../http/auth/auth-routes.ts';
import { type Auth, createAuth } from '../http/auth/authenticate.ts';
import { createPages } from '../http/pages.ts';
import { createHttp, type Http } from '../http/server.ts';
import { createWebsocket, type Websocket } from '../http/websocket.ts';
import { CredentialSources } from '../credentials/sources/registry.ts';
import { createBus, type PgBus } from '../queue/pg-bus.ts';
import { failingTasks } from '../queue/failing-tasks.ts';
import { createQueue, type Queue } from '../queue/queue.ts';
import { coreKinds } from '../run-kinds/core-kinds.ts';
import type { Visible } from '../runs/access.ts';
import { createRunEntries, type RunEntries } from '../runs/entries.ts';
import type { Contents } from '../runs/contents.ts';
import { coreFollowing } from '../runs/followers/followers.ts';
import { RunKinds } from '../runs/kinds.ts';
import { Origins } from '../runs/origins.ts';
import { createLaunchDoor, type LaunchDoor } from '../runs/start.ts';
import { TaskOutcomes } from '../queue/task-outcomes.ts';
import { logMoves } from '../runs/followers/log-moves.ts';
import { createStatuses, type Statuses } from '../runs/status.ts';
import { reportStatuses } from '../webhooks/report-status.ts';
import { createLog, type Log } from '../observe/log.ts';
import { createSystemFindings, type SystemFindings } from './doctor/service-findings.ts';
import { measureMoves, measureQueue, measureTap } from './measure.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import type { ReadyChecks } from '../http/observe-routes.ts';
import { createHealth, type PluginHealth } from '../plugins/services/health.ts';
import { createMembership, type Membership } from '../nodes/membership.ts';
import { createOutbound, type Outbound } from '../outbound/request.ts';
import { noteMoves } from '../notifications/follow.ts';
import { NotificationKinds } from '../notifications/registry.ts';
import { offersTo } from '../plugins/points.ts';
import { noPlugins } from '../plugins/prepare.ts';
import type { Registries } from '../plugins/registries.ts';
import { pluginKinds } from '../plugins/run-kinds.ts';
import { settingsOf } from '../plugins/services/settings.ts';
import { createContents } from '../contents/launch-contents.ts';
import { type ContainerTool, createContainerTool } from '../runner/container/container-tool.ts';
import { createEngineTool, type EngineTool } from '../runner/engine-tool.ts';
import type { Executor } from '../runner/executor.ts';
import { createIngest, type Ingest } from '../runner/ingest/ingest.ts';
import { createRunLifecycle, type RunLifecycle } from '../runner/lifecycle.ts';
import { createLocalExecutor } from '../runner/local-executor.ts';
import { createTaskRuns, type TaskRuns } from '../runner/tasks/task-runs.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { createKeyRing, type KeyRing } from '../secrets/key-ring.ts';
import { createSettings, type Settings } from '../settings/settings.ts';
import type { Config } from '../config/config.ts';
import { createDb, createPool } from '../db/database.ts';
import { createOutage, isConsequence, type Outage } from '../db/outage.ts';

export interface Services {
  config: Config;
  /** what plugins contribute */
  registries: Registries;
  pluginHealth: PluginHealth;
  outage: Outage;
  log: Log;
  metrics: Metrics;
  settings: Settings;
  pool: pg.Pool;
  db: Knex;
  bus: PgBus;
  keyRing: KeyRing;
  membership: Membership;
  outbound: Outbound;
  credentialSources: CredentialSources;
  notificationKinds: NotificationKinds;
  sandbox: Sandbox;
  audit: Audit;
  entries: RunEntries;
  auth: Auth;
  hooks: Hooks;
  hookTraces: TraceWriter;
  doors: Doors;
  queue: Queue;
  visible: Visible;
  kinds: RunKinds;
  origins: Origins;
  taskOutcomes: TaskOutcomes;
  statuses: Statuses;
  launch: LaunchDoor;
  contents: Contents;
  dispatcher: Dispatcher;
  taskRuns: TaskRuns;
  engineTool: EngineTool;
  containerTool: ContainerTool;
  systemFindings: SystemFindings;
  lookAtPlugins: SwitchDeps['lookAtPlugins'];
  executor: Executor;
  ingest: Ingest;
  runLifecycle: RunLifecycle;
  node: Node;
  /** compiled in the boot phase of that name: it reads the database */
  catalog: Catalog;
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
  pluginHealth: one(({ registries, db }) => createHealth(registries, { failing: () => failingTasks(db) })),
  outage: one(() => createOutage()),
  log: one(({ config, outage }) => createLog({ config, hush: (fields) => isConsequence(outage, fields) })),
  metrics: one(() => createMetrics()),
  settings: one(({ config, registries }) =>
    createSettings({ config, more: settingsOf(registries), idle: registries.idleKeys }),
  ),
  pool: one(({ config, log }) => createPool({ config, log })),
  db: one(({ config, log, settings }) =>
    createDb({ config, log, mostForRequests: () => settings.get('ANSWER_MAX_BYTES') }),
  ),
  bus: one(({ config, log, queue, outage }) => {
    const bus = createBus({ config, log, bootId: queue.bootId });
    bus.onAvailable((available) => void (outage.away = !available));
    return bus;
  }),
  keyRing: one(({ config }) => createKeyRing({ config })),
  outbound: one(({ config, settings }) =>
    createOutbound({ settings, userAgent: `Tapline/${config.version}` }),
  ).disposer((outbound) => outbound.close()),
  credentialSources: one(
    ({ config, registries, settings }) =>
      new CredentialSources(offersTo(registries, points.credentialSource), {
        tokenFile: config.kubernetesTokenFile,
        hosts: () => settings.get('VAULT_KUBERNETES_HOSTS') as readonly string[],
      }),
  ),
  notificationKinds: one(({ registries }) => new NotificationKinds(offersTo(registries, points.notificationKind))),
  sandbox: one(({ config, log }) => createSandbox({ log, uid: config.engineUids.last })).disposer((sandbox) =>
    sandbox.stop(),
  ),
  audit: one(({ config, db, log, settings }) => {
    const record = createAuditStream({ db, settings, node: config.nodeName });
    return createAudit({ log, record });
  }),
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
  taskOutcomes: one(({ db, log }) => new TaskOutcomes({ db, log })),
  queue: one(({ pool, log, metrics, taskOutcomes: outcomes }) =>
    measureQueue(createQueue({ pool, log, outcomes }), metrics),
  ),
  membership: one(({ config, db, queue, keyRing, registries, log }) =>
    createMembership({ config, db, queue, keyRing, registries, log }),
  ),
  // a function's own services would be asked for at once
  visible: asFunction(
    ({ doors }: Services): Visible =>
      (type) =>
        doors.visible(type),
  ).singleton(),
  // the kinds take services when they are asked to do something
  kinds: one((services) => {
    const core = coreKinds(services);
    return new RunKinds([...core, ...pluginKinds(services.registries, services, core)]);
  }),
  origins: one(({ registries }) => new Origins(registries.all('origins').map(({ item }) => item))),
  entries: one(({ config, settings, kinds, log }) => createRunEntries({ settings, kinds, log, node: config.nodeName })),
  statuses: one(({ kinds, bus, hooks, queue, metrics, log }) => {
    const { along, followers } = coreFollowing({ kinds, bus, hooks, queue });
    return createStatuses({
      along: [...along, noteMoves(kinds)],
      followers: [...followers, reportStatuses({ queue }), measureMoves(metrics), logMoves(log)],
    });
  }),
  launch: one((services) => {
    const { db, kinds, origins, hooks, statuses, keyRing, entries, log } = services;
    // which updates projects through this door in turn
    const contents = { of: (run: RunRow) => services.contents.of(run) };
    return createLaunchDoor({ db, kinds, origins, hooks, statuses, keyRing, entries, contents, log });
  }),
  contents: one(({ config, db, bus, kinds, settings, launch, log }) =>
    createContents({ config, db, bus, kinds, settings, launch, log }),
  ),
  dispatcher: one(({ db, bus, kinds, statuses, launch, queue, log }) =>
    createDispatcher({ db, bus, kinds, statuses, launch, queue, log }),
  ),
  taskRuns: one(({ db, bus, kinds, statuses, queue, keyRing, log }) =>
    createTaskRuns({ db, bus, kinds, statuses, queue, keyRing, log }),
  ),
  engineTool: one(({ config, log }) => createEngineTool({ config, log })),
  containerTool: one(({ config }) => createContainerTool({ config })),
  executor: one(({ config, log, engineTool, containerTool, settings }) =>
    createLocalExecutor({ config, log, engineTool, containerTool, settings }),
  ),
  lookAtPlugins: one(
    ({ config }) =>
      (names: readonly string[]) =>
        lookApart(names, config),
  ),
  systemFindings: one(({ config, engineTool, containerTool }) =>
    createSystemFindings({ config, engineTool, containerTool }),
  ),
  ingest: one(({ db, bus, executor, log, settings, metrics }) =>
    createIngest({ db, bus, executor, log, settings, metrics }),
  ),
  runLifecycle: one(({ db, kinds, executor, ingest, statuses, hooks, queue, keyRing, log }) =>
    createRunLifecycle({ db, kinds, executor, ingest, statuses, hooks, queue, keyRing, log }),
  ),
  node: one(({ db, bus, membership, statuses, dispatcher, runLifecycle, taskRuns, engineTool, log }) =>
    createNode({ db, bus, membership, statuses, dispatcher, runLifecycle, taskRuns, engineTool, log }),
  ),
} satisfies Wiring;

/** What callers reach. */
const serving = {
  http: one(({ config, log, metrics, auth, audit, db, catalog, bus, settings, checks, registries, pluginHealth }) =>
    createHttp({
      config,
      log,
      metrics,
      auth,
      catalog,
      authRoutes: authRoutes({ db, settings, auth, audit, bus }),
      bus,
      settings,
      pages: createPages(registries.all('pages').map(({ item }) => item)),
      checks,
      pluginHealth,
    }),
  ),
  websocket: one(({ auth, bus, db, log, settings, kinds, catalog, registries }) => {
    const groups = registries.all('groups').map(({ item }) => item);
    return createWebsocket({ auth, bus, db, log, settings, kinds, catalog, groups });
  }),
} satisfies Wiring;
