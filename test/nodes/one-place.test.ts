import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { boot, type Running } from '../../core/app/boot.ts';
import { loadConfig } from '../../core/config/config.ts';
import { runCli } from '../support/cli.ts';
import { cutOff } from '../support/cut-off.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { adminPassword, createRequest } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('two services on one data folder', function () {
  let database: TestDatabase;
  let dataDir: string;
  let first: Running;
  let second: Running | undefined;

  const environment = () => ({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    TAPLINE_DATA: dataDir,
    ADMIN_PASSWORD: adminPassword,
    ENGINE_COMMAND: process.env['ENGINE_COMMAND'] ?? '',
    TAPLINE_NODE_NAME: 'n1',
  });
  const start = () => boot(loadConfig(environment()));
  const ready = async () => createRequest(first)('GET', '/readyz', { auth: null });
  const row = () => database.db('instances').where({ hostname: 'n1' }).first();
  const doctor = async () => (await runCli(['doctor'], environment())).out;

  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-place-'));
    chmodSync(dataDir, 0o711);
    first = await start();
  });
  after(async () => {
    await second?.stop();
    await first.stop();
    await database.drop();
    removeFolder(dataDir);
  });

  it('refuses the second, naming process and port of the first, which goes on', async () => {
    const text = await start().then(
      (running) => running.stop().then(() => 'it started'),
      (error: Error) => error.message,
    );
    expect(text).to.contain(`node n1 runs already: process ${process.pid} on port ${first.port} serves as it`);
    expect(text).to.contain('TAPLINE_NODE_NAME');
    expect((await ready()).status).to.equal(200);
    expect(await row()).to.include({ node_state: 'ready', port: first.port });
  });

  it('is noticed by one that was cut off and lost its place, told by readyz and doctor, and mended when the other is gone', async () => {
    const back = await cutOff(database.db, first.services.membership);
    second = await start();
    back();
    await first.services.membership.beat();
    const { status, body } = await ready();
    expect(status).to.equal(503);
    expect(body.checks.node).to.match(
      new RegExp(`process \\d+ on port ${second.port} serves as node n1 in place of this`),
    );
    expect(await doctor()).to.match(/FAILED +1 process of the service lost the name to another one/);

    await second.stop();
    second = undefined;
    await first.services.membership.beat();
    expect((await ready()).status).to.equal(200);
    expect(await row()).to.include({ node_state: 'ready', pid: process.pid, port: first.port });
    expect(await doctor())
      .to.match(/ok +node n1: ready/)
      .and.not.to.match(/lost the name/);
  });

  it('replaces one that was killed at once: its connection went with it', async () => {
    await first.services.bus.stop();
    second = await start();
    expect(await row()).to.include({ port: second.port });
  });
});
