import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrate, migrationSource } from '../../core/db/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('migrations', () => {
  let database: { url: string; drop(): Promise<void> };
  let folder: string;

  before(async () => {
    database = await createEmptyDatabase();
    folder = mkdtempSync(join(tmpdir(), 'tapline-migrations-'));
    write('0001_first', 'create table first (id int)');
  });
  after(async () => {
    await database.drop();
    removeFolder(folder);
  });

  const write = (name: string, sql: string) =>
    writeFileSync(
      join(folder, `${name}.ts`),
      `export const up = (knex: any) => knex.raw(${JSON.stringify(sql)});\nexport const down = () => Promise.resolve();\n`,
    );

  const run = () => migrate({ databaseUrl: database.url, folder });

  async function rows(sql: string): Promise<any[]> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const result = await client.query(sql);
    await client.end();
    return result.rows;
  }

  it('run once, however many nodes start at the same time', async () => {
    const applied = await Promise.all([run(), run(), run()]);
    expect(applied.flat()).to.deep.equal(['0001_first']);
  });

  it('are remembered without file extension', async () => {
    expect(await rows('select name from tapline_migrations')).to.deep.equal([{ name: '0001_first' }]);
    expect(await migrationSource(folder).getMigrations([])).to.deep.equal(['0001_first']);
  });

  it('go on after a process died while it held the lock row of the migration library', async () => {
    await rows('update tapline_migrations_lock set is_locked = 1');
    write('0002_second', 'create table second (id int)');
    expect(await run()).to.deep.equal(['0002_second']);
  });

  it('leave nothing behind when one fails', async () => {
    write('0003_broken', 'create table third (id int); select 1 / 0');
    const error = await run().then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).to.match(/division by zero/);
    expect(await rows(`select to_regclass('third') as t`)).to.deep.equal([{ t: null }]);
    rmSync(join(folder, '0003_broken.ts'));
  });

  it('refuse a database that a newer version migrated', async () => {
    rmSync(join(folder, '0002_second.ts'));
    const error = await run().then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error?.message).to.match(/newer version.*0002_second/);
  });
});
