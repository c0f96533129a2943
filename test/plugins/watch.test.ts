import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { writeLayer } from '../../core/config/plugin-entries.ts';
import { basic, clientOf } from '../../core/testing/client.ts';
import { makersOf } from '../../core/testing/makers.ts';
import { adminPassword } from '../../core/testing/throw-away.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const source = (word: string) => `
import { definePlugin, everybody } from '@tapline/plugin-sdk';
import { word } from './word.ts';
export default definePlugin({
  id: 'parrot', title: 'Parrot', version: '1.0.0', sdk: '^1.0.0',
  register(api) {
    api.route({ path: '/api/v2/parrot/', access: { GET: everybody }, handler: async () => ({ status: 200, body: { ${word} } }) });
  },
});
`;

describe('serve --watch', function () {
  let folder: string;
  let dataDir: string;
  let plugin: string;
  /** what jobs see of this machine */
  let gate: string;
  let database: TestDatabase;
  let service: ChildProcess;
  let said = '';
  let url = '';

  const write = (file: string, text: string) => writeFileSync(join(plugin, file), text);
  const start = (more: Record<string, string> = {}) => {
    const { PATH, HOME } = process.env;
    const env: NodeJS.ProcessEnv = {
      PATH,
      HOME,
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      TAPLINE_DATA: dataDir,
      ADMIN_PASSWORD: adminPassword,
      TAPLINE_AWX_ISOLATION_SHOW_PATHS: gate,
      ...more,
    };
    const child = spawn(process.execPath, ['core/main.js', 'serve', '--watch'], { cwd: root, env });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => void (said += part));
    return child;
  };
  const told = (text: RegExp) => until(() => text.exec(said), 120_000, `"${text}" is said, after: ${said}`);
  const parrot = async () => (await clientOf(url, undefined).get('/api/v2/parrot/')).body;

  before(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'tapline-watch-'));
    chmodSync(folder, 0o755);
    [plugin, gate] = [join(folder, 'parrot'), join(folder, 'gate')];
    for (const one of [plugin, gate]) mkdirSync(one);
    // what the service itself writes there is no change
    dataDir = join(plugin, 'data');
    write('index.ts', source('says: word'));
    write('word.ts', `export const word: string = 'one';\n`);
    writeLayer(dataDir, { enable: [plugin], disable: ['recommendations', 'console'] });
    chmodSync(dataDir, 0o711);
    service = start();
    url = (await told(/Tapline is ready: (http:\S+?)\/api/))[1]!;
  });
  after(async () => {
    service.kill('SIGTERM');
    if (service.exitCode === null) await once(service, 'exit');
    await database.drop();
    removeFolder(folder);
  });
  beforeEach(() => void (said = ''));

  const makers = () =>
    makersOf({ admin: clientOf(url, basic('admin', adminPassword)), dataDir, made: new Set(), engine: true });
  let job: number;

  it('starts anew on the same port when sources change, tells so in one line, and leaves jobs alone', async () => {
    expect(await parrot()).to.deep.equal({ says: 'one' });
    const release = join(gate, 'go');
    const playbook = `- hosts: all\n  gather_facts: false\n  tasks:\n    - wait_for: { path: ${release}, timeout: 600 }\n`;
    const template = await makers().makeTemplate({ playbook });
    const admin = clientOf(url, basic('admin', adminPassword));
    job = (await admin.post(`${template.url}launch/`)).body.id;
    await until(async () => (await admin.get(`jobs/${job}/`)).body.status === 'running', 60_000);
    said = '';
    write('word.ts', `export const word: string = 'two';\n`);
    await told(/watch: parrot\/word\.ts changed: up again after \d+\.\d s\n/);
    expect(said.match(/watch:/g)).to.have.length(1);
    expect(said).not.to.contain('Tapline is ready');
    expect(await parrot()).to.deep.equal({ says: 'two' });
    expect((await admin.get(`jobs/${job}/`)).body.status).to.equal('running');
  });

  it('shows what is wrong with the sources, and waits for the next change', async () => {
    write('index.ts', source('says: word').replace('register(api)', 'register(api'));
    await told(/watch: parrot\/index\.ts changed: the service did not come up/);
    expect(said).to.match(/plugin .*parrot.*index\.ts/s);
    expect(service.exitCode).to.equal(null);
    said = '';
    write('index.ts', source('says: word, again: true'));
    await told(/up again/);
    expect(await parrot()).to.deep.equal({ says: 'two', again: true });
  });

  it('notices a plugin that hangs the start, and one that ends the service later', async () => {
    const hanging = join(gate, 'hangs');
    const hang = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(hanging)}, '');\nfor (;;);\n`;
    write('word.ts', `${hang}export const word: string = 'three';\n`);
    await until(() => existsSync(hanging), 120_000);
    const end = join(gate, 'end');
    const ending = `import { existsSync } from 'node:fs';\nsetInterval(() => existsSync(${JSON.stringify(end)}) && process.exit(3), 50);\n`;
    write('word.ts', `${ending}export const word: string = 'four';\n`);
    await told(/up again/);
    writeFileSync(end, '');
    await told(/watch: the service ended; waiting for the next change/);
    write('word.ts', `export const word: string = 'five';\n`);
    await told(/up again.*up again/s);
    expect((await parrot()).says).to.equal('five');
  });

  it('follows what is switched on and off', async () => {
    writeLayer(dataDir, { enable: [], disable: ['recommendations', 'console'] });
    await told(/plugins\.json changed: up again/);
    expect((await clientOf(url, undefined).get('/api/v2/parrot/')).status).to.equal(404);
    said = '';
    rmSync(join(dataDir, 'plugins.json'));
    await told(/plugins\.json changed: up again/);
  });

  it('takes no files of packages for sources, nor hidden ones', async () => {
    mkdirSync(join(plugin, 'node_modules', 'x'), { recursive: true });
    write('node_modules/x/index.js', '');
    write('.hidden', '');
    writeLayer(dataDir, { enable: [plugin], disable: ['recommendations', 'console'] });
    await told(/watch: .*up again/);
    expect(said)
      .to.match(/plugins\.json changed/)
      .and.not.match(/node_modules|hidden/);
  });

  it('loses no job over all that, and stops with its service', async () => {
    writeFileSync(join(gate, 'go'), '');
    expect((await makers().ended(job)).status).to.equal('successful');
    service.kill('SIGTERM');
    const [code] = await once(service, 'exit');
    expect(code).to.equal(0);
    expect(
      await clientOf(url, undefined)
        .get('/healthz')
        .then(String, (error) => error.code),
    ).to.equal('ECONNREFUSED');
  });

  it('refuses in production', async () => {
    const refused = start({ NODE_ENV: 'production' });
    const [code] = await once(refused, 'exit');
    expect([code, said]).to.deep.equal([
      1,
      'serve --watch is for writing plugins, and NODE_ENV says production: start without --watch.\n',
    ]);
  });
});
