import type { Running } from '../boot.ts';
import { createLog } from '../../observe/log.ts';
import { type Config, loadConfig } from '../../config/config.ts';
import { catchFaults } from '../faults.ts';
import { EarlyDatabase } from '../../db/open-database.ts';
import { assertStartable } from '../preflight.ts';

/** Ctrl-C arrives twice, from the terminal and forwarded by npm: only a later one is meant as "now". */
const impatientAfterMs = 1500;

/** What a supervised service tells its supervisor once it serves. */
export interface Up {
  introduction: string[];
  /** 0: it serves no requests */
  port: number;
}

/** `supervised`: it says that it is up to the process that started it, and stops when that one is gone. */
export async function serve({ supervised = false } = {}): Promise<void> {
  const config = loadConfig();
  const stopping = stopOnSignal();
  if (supervised) followSupervisor(() => stopping.stop('the supervisor is gone'));
  await assertStartable(config);
  const up: { running?: Running } = {};
  const log = createLog({ config });
  // before anything starts: it serves, and plugins begin, before all is up
  catchFaults({
    log,
    count: ({ plugin, what }) => up.running?.services.metrics.pluginFaults.inc({ plugin, section: what }),
    end: () => {
      if (!up.running) process.exit(1);
      process.exitCode = 1;
      stopping.stop('uncaught exception');
    },
  });
  const database = new EarlyDatabase({ config, log, signal: stopping.signal, onWait: (text) => console.log(text) });
  // loaded meanwhile
  const { boot } = await import('../boot.ts').catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const running = await boot(config, { database }).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    log.info('stopped before it was up');
    process.exit();
  });
  up.running = running;
  const introduction = introductionOf(running, config);
  if (supervised) process.send?.({ introduction, port: running.port } satisfies Up);
  else console.log(introduction.join('\n'));
  const signal = await stopping.asked;
  log.info({ signal }, 'stopping');
  await running.stop();
  log.info('stopped');
  process.exit();
}

function followSupervisor(stop: () => void): void {
  process.on('disconnect', stop);
  // a start that fails ends the process all the same
  process.channel?.unref();
}

interface Stopping {
  asked: Promise<string>;
  /** aborted when it is asked to */
  signal: AbortSignal;
  stop(why: string): void;
}

function stopOnSignal(): Stopping {
  const { promise, resolve } = Promise.withResolvers<string>();
  const stopping = new AbortController();
  const stop = (why: string) => {
    resolve(why);
    stopping.abort(new Error(`stopped: ${why}`));
  };
  let since = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (since && performance.now() - since > impatientAfterMs) process.exit(130);
    since ||= performance.now();
    stop(signal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { asked: promise, signal: stopping.signal, stop };
}

function introductionOf({ url, port, admin, services }: Running, { dataDir, roles, adminPassword }: Config): string[] {
  const api = `${url}/api/v2/`;
  // people open the page, where a plugin brings one
  const page = services.registries.all('pages').some(({ item }) => item.path === '/');
  const lines = [
    port ? `Tapline is ready: ${page ? `${url}/` : api}` : `Tapline is ready (roles: ${roles.join(', ')})`,
    ...(port && page ? [`  API:      ${api}`] : []),
    `  data:     ${dataDir}`,
  ];
  if (admin.username) lines.push(`  user:     ${admin.username}`);
  if (admin.password) lines.push(`  password: ${admin.password}   (shown this once; also in ${admin.file})`);
  else if (admin.file) lines.push(`  password: in ${admin.file}`);
  else if (admin.created) lines.push('  password: the one that ADMIN_PASSWORD gave');
  else if (admin.username) lines.push('  password: as it was set; `npm run tapline -- create-admin` gives a new one');
  if (adminPassword && admin.username && !admin.created)
    lines.push('            ADMIN_PASSWORD was not used: it counts at the first start on a data folder');
  lines.push('  Ctrl-C stops it; running jobs go on and are taken up again at the next start.');
  return lines;
}
