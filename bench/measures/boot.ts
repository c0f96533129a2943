import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@tapline/core/db/postgres.ts';
import { createLog } from '@tapline/core/observe/log.ts';
import { progress } from '../lib/progress.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const plugins = 20;
const pairs = 15;

/** Packages as an operator installs them, each with a manifest and nothing to contribute. */
function noOpPlugins(home: string): string[] {
  return Array.from({ length: plugins }, (_, index) => {
    const id = `no-op-${index + 1}`;
    const folder = join(home, id);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: id, type: 'module', main: 'index.js' }));
    writeFileSync(
      join(folder, 'index.js'),
      `import { definePlugin } from '@tapline/plugin-sdk';
export default definePlugin({ id: '${id}', title: '${id}', version: '1.0.0', sdk: '^1.0.0', register() {} });
`,
    );
    return folder;
  });
}

/** Start of the process → first ping, with 20 no-op plugins and with none, one after the other on one migrated database. */
export async function boot(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'tapline-bench-boot-'));
  // as root Postgres runs as a user who must get there
  chmodSync(home, 0o711);
  const server = await startPostgres({
    dataDir: join(home, 'server'),
    log: createLog({ config: { logLevel: 'silent', nodeName: 'bench' } }),
  });
  const data = join(home, 'data');
  const paths = noOpPlugins(home).join(',');
  const start = async (TAPLINE_PLUGINS: string): Promise<number> => {
    const service = new Service({ DATABASE_URL: server.url, TAPLINE_PLUGINS }, data);
    try {
      return await service.start();
    } finally {
      await service.stop({ keep: true });
    }
  };
  const bare: number[] = [];
  const loaded: number[] = [];
  try {
    // fills the database and the compile cache
    for (const names of ['', paths]) await start(names);
    for (let pair = 0; pair < pairs; pair += 1) {
      progress(`pair ${pair + 1} of ${pairs}`);
      const order = pair % 2 ? [bare, loaded] : [loaded, bare];
      for (const side of order) side.push(await start(side === bare ? '' : paths));
    }
  } finally {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
  const each = bare.map((without, pair) => (loaded[pair]! - without) / plugins);
  const detail = `${spread(each, 'ms')}; none: ${spread(bare, 'ms')}; ${plugins} plugins: ${spread(loaded, 'ms')}`;
  return [figure('boot', 'start, for each no-op plugin', median(each), 'ms', '<=', 5, detail)];
}
