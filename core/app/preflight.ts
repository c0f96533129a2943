import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from '../config/config.ts';
import { makeDataDir } from '../config/data-dir.ts';
import { listenError } from '../http/listen-error.ts';

/**
 * What would end the start later on, told before anything is started.
 * @throws ConfigError or DataDirError, with the remedy
 */
export async function assertStartable(config: Pick<Config, 'dataDir' | 'host' | 'port' | 'roles'>): Promise<void> {
  makeDataDir(config.dataDir);
  if (config.roles.includes('web')) await tryAddress(config);
}

async function tryAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const { message } = listenError(error as NodeJS.ErrnoException, { host, port });
    throw new ConfigError(`Tapline cannot start: ${message}.`, { cause: error });
  }
  server.close();
  await once(server, 'close');
}
