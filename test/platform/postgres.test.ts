import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../core/db/postgres.ts';
import { silentLog as log } from '../support/log.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

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
    removeFolder(dataDir);
  });

  it('is made and started on an empty data folder', async () => {
    server = await startPostgres({ dataDir, log });
    expect(server.adopted).to.equal(false);
    await query(server.url, 'create table kept (id int); insert into kept values (1)');
    expect(await query(server.url, 'show listen_addresses')).to.deep.equal([{ listen_addresses: '' }]);
  });

  it('is made once when several processes start on an empty data folder at the same time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-postgres-'));
    const servers = await Promise.all([1, 2, 3].map(() => startPostgres({ dataDir: folder, log })));
    const [first] = servers;
    expect(new Set(servers.map(({ pid }) => pid))).to.have.lengthOf(1);
    expect(readdirSync(join(folder, 'postgres')).toSorted()).to.deep.equal(['data', 'server.log']);
    await first!.stop();
    removeFolder(folder);
  });

  it('is made anew when the process that made it was killed meanwhile', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-postgres-'));
    // what the killed one started goes on
    const draft = join(folder, 'postgres', 'data.new-0');
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, 'PG_VERSION'), '18');
    const made = await startPostgres({ dataDir: folder, log });
    expect(readdirSync(join(folder, 'postgres')).toSorted()).to.deep.equal(['data', 'server.log']);
    await made.stop();
    removeFolder(folder);
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

  it('is started anew after its main process was killed, though nobody took note of its death', async () => {
    await server.stop();
    const program = join(dataDir, 'postgres-program');
    mkdirSync(program);
    copyFileSync('/bin/sleep', join(program, 'postgres'));
    // it ends when its parent is a program that waits for nobody
    const parent = spawn('/bin/sh', ['-c', `"${program}/postgres" 0.5 & echo $!; exec sleep 600`]);
    const [said] = await once(parent.stdout, 'data');
    const dead = Number(String(said));
    await until(() => /\) Z/.test(readFileSync(`/proc/${dead}/stat`, 'utf8')));
    const file = join(dataDir, 'postgres', 'data', 'postmaster.pid');
    writeFileSync(file, `${dead}\n${dirname(file)}\n1\n5432\n/nowhere\n\n  1  1\nready   \n`);
    server = await startPostgres({ dataDir, log });
    parent.kill('SIGKILL');
    expect(server.adopted).to.equal(false);
    expect(server.pid).to.not.equal(dead);
    expect(await query(server.url, 'select count(*)::int as n from kept')).to.deep.equal([{ n: 2 }]);
  });

  it('is ended and started anew when a stop of it lasts for ever', async () => {
    const checkpointer = `select pid from pg_stat_activity where backend_type = 'checkpointer'`;
    const [{ pid: stuck }] = (await query(server.url, checkpointer)) as [{ pid: number }];
    const before = server.pid;
    process.kill(stuck, 'SIGSTOP');
    process.kill(before, 'SIGINT');
    server = await startPostgres({ dataDir, log });
    expect(server.adopted).to.equal(false);
    expect(server.pid).to.not.equal(before);
    expect(await query(server.url, 'select count(*)::int as n from kept')).to.deep.equal([{ n: 2 }]);
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
