import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asValue } from 'awilix';
import { ensureManagedTypes } from '../credentials/managed-types.ts';
import { ensureManagedDefinitions } from '../rbac/assignments/managed-definitions.ts';
import { tieSideTables } from '../descriptors/extend/side-tables.ts';
import { defineHookTask } from '../hooks/queue-tasks.ts';
import { watchBlocking } from '../observe/blocking.ts';
import { createLog, type Log } from '../observe/log.ts';
import { definePluginTasks } from '../plugins/services/connect.ts';
import { pluginExtensions, pluginOwners } from '../plugins/content.ts';
import { asPluginError, PluginError } from '../observe/plugin-error.ts';
import { startPlugins } from '../plugins/lifecycle.ts';
import type { LoadOptions } from '../plugins/find/load.ts';
import { migratePlugins } from '../plugins/data/migrate.ts';
import { unclaimedOffers } from '../plugins/points.ts';
import { noteSettingKeys } from '../plugins/data/noted-settings.ts';
import { preparePlugins } from '../plugins/prepare.ts';
import type { Registries } from '../plugins/registries.ts';
import { judgeKeys } from '../plugins/services/settings.ts';
import { followStored } from '../settings/store.ts';
import type { Config } from '../config/config.ts';
import { makeDataDir } from '../config/data-dir.ts';
import { listenError } from '../http/listen-error.ts';
import { compileCatalog, type Declared, declare } from './catalog.ts';
import { buildContainer, type Container, type Services } from './container.ts';
import { isDatabaseAway } from '../db/database-errors.ts';
import { createDemoContent } from './demo-content.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { defineDeletion } from '../inventory/deletion.ts';
import { defineHousekeeping } from './housekeeping.ts';
import { migrate } from '../db/migrate.ts';
import { EarlyDatabase, UnreachableError } from '../db/open-database.ts';
import { ensureCleanupSchedules } from '../run-kinds/system-job/cleanup-schedules.ts';
import { defineSchedules } from '../schedules/due.ts';
import { Shutdown } from './shutdown.ts';
import { watchEmbedded } from './watch-embedded.ts';
import { defineAdvance } from '../runs/waiting/advance.ts';
import { defineCancel } from '../runs/waiting/cancel-task.ts';
import { defineDeliveries } from '../notifications/deliver.ts';
import { defineSweep } from '../notifications/sweep.ts';
import { defineReports } from '../webhooks/report-status.ts';

export class BootError extends Error {
  override name = 'BootError';
}

export interface Running {
  url: string;
  port: number;
  admin: FirstAdmin;
  services: Services;
  stop(): Promise<void>;
}

export interface BootOptions {
  /** plugins at hand, besides those that the configuration names */
  plugins?: LoadOptions['inline'];
  database?: EarlyDatabase;
}

interface State {
  config: Config;
  database: EarlyDatabase;
  registries: Registries;
  container: Container;
  declared: Declared;
  shutdown: Shutdown;
  admin: FirstAdmin;
  port: number;
}

/** In this order; what a phase starts is undone in reverse order at the end, or when a later phase fails. */
const phases: [name: string, run: (state: State) => Promise<void>][] = [
  ['database', connect],
  ['declarations', async (state) => void (state.declared = declare(state.container.cradle))],
  ['migrations', updateSchema],
  ['agreement with other nodes', agreeWithNodes],
  ['plugin migrations', updatePluginData],
  ['settings', readSettings],
  ['first content', createFirstContent],
  ['compile', compile],
  ['tasks', defineTasks],
  ['left-over files', ({ container }) => container.cradle.contents.removeLeftOvers()],
  ['serve', serve],
  ['workers', startWorkers],
  ['start of plugins', ({ registries, shutdown }) => startPlugins({ registries, shutdown })],
];

/**
 * An optional plugin that fails in any phase is left out: the service starts anew as if it were off. It also starts
 * anew when the database's connections are cut meanwhile.
 * @throws BootError naming the phase and the reason
 */
export async function boot(config: Config, options: BootOptions = {}): Promise<Running> {
  const log = createLog({ config });
  const database = options.database ?? new EarlyDatabase({ config, log });
  try {
    return await bootUntilUp(config, log, database, options.plugins);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function bootUntilUp(
  config: Config,
  log: Log,
  database: EarlyDatabase,
  inline: BootOptions['plugins'],
): Promise<Running> {
  const except = new Map<string, string>();
  let idleKeys: string[] = [];
  const patientUntil = performance.now() + patienceMs;
  for (;;) {
    const registries = await inPhase('plugins', () => preparePlugins({ config, inline, except, idleKeys }));
    for (const { id, reason } of registries.leftOut)
      log.error({ plugin: id, reason }, 'an optional plugin is left out');
    for (const { plugin, text } of unclaimedOffers(registries)) log.warn({ plugin }, text);
    try {
      await inPhase('plugins', async () => judgeKeys(config, registries));
      return await bootWith({ config, database, registries });
    } catch (error) {
      const fault = (error as Error).cause;
      const optional = fault instanceof PluginError && registries.find(fault.plugin)?.optional;
      if (optional) {
        except.set(fault.plugin, fault.message);
        idleKeys = registries.settingKeys();
        continue;
      }
      // one that was not reached at all has been waited for already
      const hopeless =
        fault instanceof UnreachableError || database.signal?.aborted || performance.now() > patientUntil;
      if (hopeless || !isDatabaseAway(fault)) throw error;
      log.warn({ err: error }, 'the database went away during the start, which begins anew');
      await delay(anewAfterMs);
    }
  }
}

/** A server that restarts is back within it. */
const patienceMs = 60_000;
const anewAfterMs = 500;

async function bootWith(given: Pick<State, 'config' | 'database' | 'registries'>): Promise<Running> {
  const state = { ...given, shutdown: new Shutdown(createLog(given)) } as State;
  for (const [name, run] of phases) {
    await inPhase(name, () => run(state)).catch(async (error: unknown) => {
      await state.shutdown.run();
      throw error;
    });
  }
  const { container, shutdown, admin, port } = state;
  const host = state.config.host.includes(':') ? `[${state.config.host}]` : state.config.host;
  return { url: `http://${host}:${port}`, port, admin, services: container.cradle, stop: () => shutdown.run() };
}

async function inPhase<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new BootError(`Tapline could not start: phase "${name}": ${reason(error)}`, { cause: error });
  }
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length) return error.errors.map(reason).join('; ');
  return error instanceof Error ? error.message : String(error);
}

async function connect(state: State): Promise<void> {
  const { config, shutdown } = state;
  makeDataDir(config.dataDir);
  const log = createLog({ config });
  const { databaseUrl, server } = await state.database.open();
  // last of all: everything else needs it to stop cleanly
  if (server) shutdown.add('embedded Postgres', () => server.release());
  state.config = { ...config, databaseUrl };
  state.container = buildContainer(state.config, state.registries);
  const { db, pool, bus } = state.container.cradle;
  shutdown.add('services', () => state.container.dispose());
  shutdown.add('database connections', () => Promise.all([db.destroy(), pool.end()]));
  await bus.start();
  shutdown.add('bus', () => bus.stop());
  if (server) shutdown.add('watch over Postgres', watchEmbedded({ server, bus, log }));
}

async function updateSchema({ config, container }: State): Promise<void> {
  const { queue, log } = container.cradle;
  const applied = await migrate({ databaseUrl: config.databaseUrl, folder: join(config.root, 'migrations') });
  if (applied.length) log.info({ applied }, 'database migrated');
  await queue.migrate();
}

/** Before anything of plugins is changed in the database: nodes that differ may use it. */
async function agreeWithNodes({ container, shutdown }: State): Promise<void> {
  const { membership } = container.cradle;
  await membership.join();
  shutdown.add('membership', () => membership.leave());
}

async function updatePluginData({ config, container, registries }: State): Promise<void> {
  const plugins = registries.plugins.map(({ plugin, optional }) => ({ ...plugin, optional }));
  const { leftOut } = await migratePlugins({ databaseUrl: config.databaseUrl, plugins, log: container.cradle.log });
  const [failed] = leftOut;
  if (failed) throw asPluginError(failed.id, 'its migration', failed.error);
  await noteSettingKeys(container.cradle.db, registries);
}

async function readSettings({ container, shutdown }: State): Promise<void> {
  const { db, keyRing, settings, bus, log } = container.cradle;
  const end = await followStored({ db, keyRing, settings, bus, log });
  shutdown.add('settings', async () => end());
}

async function createFirstContent(state: State): Promise<void> {
  const { db, config, credentialSources } = state.container.cradle;
  await db('service_state')
    .insert({ key: 'install_uuid', value: JSON.stringify(randomUUID()) })
    .onConflict('key')
    .ignore();
  await ensureManagedTypes(db, credentialSources.types());
  await ensureManagedDefinitions(db);
  state.admin = await ensureFirstAdmin({ db, config });
  await ensureCleanupSchedules(db);
  await createDemoContent({ db, config });
}

async function compile({ container, declared, shutdown }: State): Promise<void> {
  const { cradle } = container;
  const { db, log, registries } = cradle;
  const extensions = pluginExtensions(registries);
  await tieSideTables({ db, log, resources: declared.resources, extensions, owners: pluginOwners(registries) });
  const catalog = await compileCatalog(cradle, declared);
  shutdown.add('traces of hooks', () => cradle.hookTraces.flush());
  if (cradle.registries.plugins.length) shutdown.add('watch over the event loop', watchBlocking(cradle));
  const checks = {
    database: () => {
      if (!cradle.bus.available) throw new Error('Postgres cannot be reached');
    },
    node: () => cradle.membership.assertPlace(),
  };
  cradle.doors.freeze();
  container.register({ catalog: asValue(catalog), checks: asValue(checks) });
}

async function serve(state: State): Promise<void> {
  const { config } = state.container.cradle;
  state.port = 0;
  if (!config.roles.includes('web')) return;
  const { http, membership, websocket } = state.container.cradle;
  websocket.attach(http.server);
  state.port = await http.listen(config.port, config.host).catch((error: NodeJS.ErrnoException) => {
    throw listenError(error, config);
  });
  state.shutdown.add('http', () => http.close());
  state.shutdown.add('websocket', () => websocket.stop());
  await membership.serveAt(state.port);
}

/** On every node: what requests make necessary is enqueued by whoever serves them. */
async function defineTasks({ container }: State): Promise<void> {
  const { queue, bus, hooks, db, log, registries, taskRuns, settings, catalog } = container.cradle;
  defineHookTask({ queue, hooks });
  taskRuns.define();
  defineReports(container.cradle);
  defineAdvance(container.cradle);
  defineCancel(container.cradle);
  defineDeliveries(container.cradle);
  defineSweep(container.cradle);
  defineHousekeeping({ queue, db, log, settings, catalog, node: container.cradle.config.nodeName });
  defineDeletion({ db, bus, queue });
  defineSchedules(container.cradle);
  definePluginTasks({ registries, queue });
}

async function startWorkers({ container, config, shutdown }: State): Promise<void> {
  if (!config.roles.includes('worker')) return;
  const { queue, node, taskOutcomes } = container.cradle;
  shutdown.add('outcomes of tasks', () => taskOutcomes.flush());
  await queue.start();
  shutdown.add('queue', () => queue.stop());
  await node.start();
  // jobs go on without us: whoever serves as this node next takes them up again
  shutdown.add('node', () => node.stop());
}
