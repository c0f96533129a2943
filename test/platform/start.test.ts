import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { listenError } from '../../core/http/listen-error.ts';
import { freePort } from '../../demo/free-port.ts';
import { runCli } from '../support/cli.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('a start that cannot succeed', function () {
  let folder: string;

  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'tapline-start-'))));
  afterEach(() => removeFolder(folder));

  const serve = async (env: Record<string, string>) => {
    const { code, out, err } = await runCli(['serve'], { TAPLINE_DATA: join(folder, 'data'), PORT: '0', ...env });
    expect(code).to.equal(1);
    expect(out).to.equal('');
    return err;
  };
  const nothingStarted = () => expect(existsSync(join(folder, 'data', 'postgres'))).to.equal(false);

  describe('for its data folder', () => {
    const remedy =
      /Set TAPLINE_DATA to a folder that user \d+ may write, or give this one to that user \(chown -R .*\)\.\n$/;

    it('that is a file, says so in one sentence with the remedy', async () => {
      writeFileSync(join(folder, 'file'), '');
      const said = await serve({ TAPLINE_DATA: join(folder, 'file') });
      expect(said)
        .to.match(/^The data folder \S+ cannot be used: it is a file\. /)
        .and.to.match(remedy);
      expect(await serve({ TAPLINE_DATA: join(folder, 'file', 'below') })).to.contain('a folder above it is a file');
    });

    it('that cannot be written, says so in one sentence with the remedy', async () => {
      // where even root may not
      const said = await serve({ TAPLINE_DATA: '/sys/tapline' });
      expect(said)
        .to.match(/^The data folder \/sys\/tapline cannot be used: /)
        .and.to.match(remedy);
      expect(said.trim()).not.to.contain('\n');
    });

    it('is told by other commands as well', async () => {
      const { code, err } = await runCli(['migrate'], { TAPLINE_DATA: '/sys/tapline' });
      expect(code).to.equal(1);
      expect(err)
        .to.match(/^The data folder/)
        .and.to.match(remedy);
    });
  });

  describe('for its address', () => {
    let other: Server;
    beforeEach(async () => {
      other = createServer();
      await once(other.listen(0, '127.0.0.1'), 'listening');
    });
    afterEach(() => other.close());

    it('says before anything is started that the port is taken', async () => {
      const { port } = other.address() as { port: number };
      expect(await serve({ PORT: String(port) })).to.equal(
        `Tapline cannot start: 127.0.0.1:${port} is in use by another program; set PORT to a free port.\n`,
      );
      nothingStarted();
    });

    it('says that HOST is no address of this machine', async () => {
      expect(await serve({ HOST: '192.0.2.1' })).to.contain('192.0.2.1 is no address of this machine; set HOST');
      nothingStarted();
    });

    it('tells who may not listen on a port below 1024', () => {
      const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
      const { message } = listenError(refused, { host: '127.0.0.1', port: 80 });
      expect(message).to.match(/^user \d+ may not listen on port 80, as on any below 1024; set PORT/);
    });
  });

  describe('for its database', () => {
    let service: ChildProcess;
    let said: string;
    const begin = (databaseUrl: string) => {
      said = '';
      const { PATH = '', HOME = '/' } = process.env;
      service = spawn(process.execPath, ['core/main.js', 'serve'], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH, HOME, TAPLINE_DATA: join(folder, 'data'), PORT: '0', DATABASE_URL: databaseUrl },
      });
      for (const stream of [service.stdout!, service.stderr!])
        stream.on('data', (text: Buffer) => void (said += text.toString()));
    };
    afterEach(() => void service.kill('SIGKILL'));

    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      it(`tells whom it waits for, and ends on the first ${signal}`, async () => {
        const port = await freePort();
        begin(`postgres://somebody:a-secret-word@127.0.0.1:${port}/tapline`);
        await until(() => said.includes('DATABASE_URL'), 5000, 'what it waits for');
        expect(said).to.match(
          new RegExp(`^Postgres at 127.0.0.1:${port} is not reached yet: .*ECONNREFUSED.*; waiting 60 s\\.`),
        );
        const ended = once(service, 'exit');
        service.kill(signal);
        expect(await ended).to.deep.equal([0, null]);
        expect(said).not.to.contain('a-secret-word').and.not.to.contain('\n    at ');
      });

    it('ends on the first signal while a server takes its time to answer', async () => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const connected = once(silent, 'connection');
      begin(`postgres://127.0.0.1:${(silent.address() as { port: number }).port}/tapline`);
      await connected;
      const ended = once(service, 'exit');
      service.kill('SIGTERM');
      expect(await ended).to.deep.equal([0, null]);
      silent.close();
    });

    it('is waited for once, and then told in one sentence', async () => {
      const { code, err } = await runCli(['migrate'], {
        DATABASE_URL: `postgres://127.0.0.1:${await freePort()}/tapline`,
        TAPLINE_DATA: join(folder, 'data'),
      });
      expect(code).to.equal(1);
      expect(err).to.match(/^Postgres at 127.0.0.1:\d+ was not reached within 5 s: .*correct DATABASE_URL\.\n$/);
    });
  });
});
