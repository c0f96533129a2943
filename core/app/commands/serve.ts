import type { Running } from '../boot.ts';
import { createLog } from '../../observe/log.ts';
import { loadConfig } from '../config.ts';
import { catchFaults } from '../faults.ts';
import { EarlyDatabase } from '../open-database.ts';

/** Ctrl-C arrives twice, from the terminal and forwarded by npm: only a later one is meant as "now". */
const impatientAfterMs = 1500;

export async function serve(): Promise<void> {
  const config = loadConfig();
  const stopping = stopOnSignal();
  const up: { running?: Running } = {};
  const log = createLog({ config });
  // before anything starts: it serves, and plugins begin, before all is up
  catchFaults({
    log,
    count: ({ plugin, what }) => up.running?.services.metrics.pluginFaults.inc({ plugin, section: what }),
    end: () => {
      if (!up.running) process.exit(1);
      process.exitCode = 1;
      stopping.stop();
    },
  });
  const database = new EarlyDatabase({ config, log });
  // loaded meanwhile
  const { boot } = await import('../boot.ts').catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const running = await boot(config, { database });
  up.running = running;
  introduce(running, config.dataDir, config.roles);
  const signal = await stopping.asked;
  log.info({ signal }, 'stopping');
  await running.stop();
  log.info('stopped');
  process.exit();
}

function stopOnSignal(): { asked: Promise<string>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let since = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (since && performance.now() - since > impatientAfterMs) process.exit(130);
    since ||= performance.now();
    resolve(signal);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { asked: promise, stop: () => resolve('uncaught exception') };
}

function introduce({ url, port, admin, services }: Running, dataDir: string, roles: string[]): void {
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
  lines.push('  Ctrl-C stops it; running jobs go on and are taken up again at the next start.');
  console.log(lines.join('\n'));
}
