import { basename, join, relative, sep } from 'node:path';
import { type Config, loadConfig } from '../../config/config.ts';
import { openDatabase } from '../../db/open-database.ts';
import { createLog } from '../../observe/log.ts';
import { type Changes, watchChanges } from '../watch/changes.ts';
import { startServiceProcess, type ServiceProcess } from '../watch/service-process.ts';
import { sourceFolders } from '../watch/sources.ts';
import { CommandError } from './command-error.ts';
import type { Up } from './serve.ts';

/**
 * For whoever writes a plugin: the service in a process of its own, which begins anew whenever sources of plugins change.
 * The embedded Postgres and the port stay; running jobs are taken up again as after any restart.
 */
export async function serveWatched(): Promise<void> {
  if (process.env['NODE_ENV'] === 'production')
    throw new CommandError(
      'serve --watch is for writing plugins, and NODE_ENV says production: start without --watch.',
    );
  const config = loadConfig();
  const asked = untilAsked();
  const stopping = new AbortController();
  void asked.then(() => stopping.abort(new CommandError('Stopped before the database was reached.')));
  const { databaseUrl, server } = await openDatabase({
    config,
    log: createLog({ config }),
    signal: stopping.signal,
    onWait: (text) => console.log(text),
  });
  const changes = await watchChanges(sourceFolders(config), config.dataDir);
  const watched = new Watched(config, databaseUrl, changes);
  try {
    await watched.run(asked, async () => server?.ensure());
  } finally {
    await changes.close();
    await server?.release();
  }
  process.exit();
}

class Watched {
  #config: Config;
  readonly #databaseUrl: string;
  readonly #changes: Changes;
  #service: ServiceProcess | undefined;
  #port: number | undefined;

  constructor(config: Config, databaseUrl: string, changes: Changes) {
    this.#config = config;
    this.#databaseUrl = databaseUrl;
    this.#changes = changes;
  }

  /** Starts it again after each change, until it is asked to stop. */
  async run(asked: Promise<'stop'>, prepare: () => Promise<void>): Promise<void> {
    let change = this.#changes.next();
    for (let files: string[] | 'stop' = []; files !== 'stop'; files = await Promise.race([change, asked])) {
      if (files.length) change = this.#changes.next();
      await this.#service?.stop();
      await prepare();
      await this.#start(files, Promise.race([change, asked]));
    }
    await this.#service?.stop();
  }

  /** Comes back when it is up, has failed, or is not wanted any more. */
  async #start(files: readonly string[], interrupted: Promise<unknown>): Promise<void> {
    const began = performance.now();
    const port = this.#port ?? this.#config.port;
    this.#follow();
    const service = startServiceProcess({ DATABASE_URL: this.#databaseUrl, PORT: String(port) });
    this.#service = service;
    const outcome = await Promise.race([service.up, service.ended.then(() => 'ended' as const), interrupted]);
    const what = files.length ? `${named(files, sourceFolders(this.#config))} changed: ` : '';
    if (outcome === 'ended')
      return say(`${what}the service did not come up, as told above; waiting for the next change`);
    if (!isUp(outcome)) return;
    if (this.#port === undefined) console.log(outcome.introduction.join('\n'));
    this.#port = outcome.port || undefined;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    say(
      what
        ? `${what}up again after ${seconds} s`
        : `the service starts anew when something changes in ${this.#folders()}`,
    );
    void service.ended.then(() => {
      if (this.#service === service && !service.stopping) say('the service ended; waiting for the next change');
    });
  }

  /** Plugins may have been switched on meanwhile. */
  #follow(): void {
    try {
      this.#config = loadConfig();
      this.#changes.add(sourceFolders(this.#config));
    } catch {
      // the service tells what is wrong with it
    }
  }

  #folders = () => sourceFolders(this.#config).join(', ') || 'plugins.json: no plugin that is on runs from sources';
}

const isUp = (outcome: unknown): outcome is Up =>
  typeof outcome === 'object' && outcome !== null && 'introduction' in outcome;

const say = (text: string) => console.log(`watch: ${text}`);

const most = 3;

/** Short enough for one line. */
function named(files: readonly string[], folders: readonly string[]): string {
  const names = files.map((file) => shortened(file, folders)).toSorted();
  return names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} more` : names.join(', ');
}

function shortened(file: string, folders: readonly string[]): string {
  const folder = folders.find((one) => file.startsWith(one + sep));
  return folder ? join(basename(folder), relative(folder, file)) : file;
}

function untilAsked(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve('stop'));
  });
}
