import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../core/app/postgres.ts';
import { silentLog as log } from '../support/log.ts';
import { until } from '../support/until.ts';

async function query(url: string, sql: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded Postgres', () => {
  let dataDir: string;
  let server: PostgresServer;

  before(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-postgres-'));
  });

  after(async () => {
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is made and started on an empty data folder', async () => {
    server = await startPostgres({ dataDir, log });
    expect(server.adopted).to.equal(false);
    await query(server.url, 'create table kept (id int); insert into kept values (1)');
    expect(await query(server.url, 'show listen_addresses')).to.deep.equal([{ listen_addresses: '' }]);
  });

  it('is adopted when it runs already', async () => {
    const again = await startPostgres({ dataDir, log });
    expect(again.adopted).to.equal(true);
    expect(again.url).to.equal(server.url);
    expect(await query(again.url, 'select id from kept')).to.deep.equal([{ id: 1 }]);
  });

  it('comes back with every committed row after its main process was killed', async () => {
    await query(server.url, 'insert into kept values (2)');
    process.kill(server.pid, 'SIGKILL');
    server = await startPostgres({ dataDir, log });
    expect(await query(server.url, 'select id from kept order by id')).to.deep.equal([{ id: 1 }, { id: 2 }]);
  });

  it('is left alone when another process of the service still uses it', async () => {
    const other = new pg.Client({ connectionString: server.url, application_name: 'tapline bus' });
    other.on('error', () => undefined);
    await other.connect();
    await server.release();
    expect(await query(server.url, 'select count(*)::int as n from kept')).to.deep.equal([{ n: 2 }]);
    await other.end();
    await until(
      async () =>
        (await query(server.url, `select 1 from pg_stat_activity where application_name = 'tapline bus'`)).length === 0,
    );
  });

  it('stops and starts again on the same data', async () => {
    await server.stop();
    server = await startPostgres({ dataDir, log });
    expect(server.adopted).to.equal(false);
    expect(await query(server.url, 'select count(*)::int as n from kept')).to.deep.equal([{ n: 2 }]);
  });
});
