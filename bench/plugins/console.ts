import pg from 'pg';
import { openBrowser } from '../console/browser.ts';
import { interactions } from '../console/interactions.ts';
import { paints } from '../console/paints.ts';
import { logIn } from '../console/pages.ts';
import { sizes } from '../console/sizes.ts';
import { withManyRuns } from '../lib/bench-database.ts';
import { Service } from '../lib/service.ts';
import type { Figure } from '../lib/stats.ts';

const jobs = 100_000;
const hosts = 10_000;

async function fillHosts(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('select count(*)::int as count from hosts');
    if (rows[0].count >= hosts) return;
    await client.query(
      `insert into hosts (name, inventory_id) select 'host-' || n, (select min(id) from inventories) from generate_series(1, ${hosts}) n`,
    );
    await client.query('vacuum (analyze) hosts');
  } finally {
    await client.end();
  }
}

/** The console in Chromium, before a service with 100,000 jobs and 10,000 hosts. */
export async function consoleMeasure(): Promise<Figure[]> {
  return withManyRuns(jobs, async (databaseUrl) => {
    await fillHosts(databaseUrl);
    const service = new Service({ DATABASE_URL: databaseUrl });
    try {
      await service.start();
      const browsing = await openBrowser(`http://127.0.0.1:${service.port}`, logIn);
      try {
        return [...(await sizes(browsing)), ...(await paints(browsing)), ...(await interactions(browsing))];
      } finally {
        await browsing.close();
      }
    } finally {
      await service.stop();
    }
  });
}
