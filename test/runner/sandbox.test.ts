import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { probeIsolation } from '../../core/runner/isolation.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { isRoot, makeStage, openFolder, type Stage } from './stage.ts';

const canary = 'canary-of-the-service';

describeWith(['bwrap'], 'runner: what a playbook can see', function () {
  this.timeout(60_000);
  let stage: Stage;
  let output: string;
  let targets: string[];

  before(async () => {
    stage = makeStage();
    process.env['CANARY'] = canary;
    for (const folder of ['keys', 'postgres', 'projects/other'])
      mkdirSync(join(stage.dataDir, folder), { recursive: true });
    writeFileSync(join(stage.dataDir, 'keys', 'ring.json'), canary, { mode: 0o600 });
    // even what everybody may read
    writeFileSync(join(stage.dataDir, 'projects/other', 'secret.yml'), canary, { mode: 0o644 });
    const socket = join(stage.dataDir, 'postgres', '.s.PGSQL.5432');
    const server = createServer().listen(socket);
    const other = await stage.executor.start(await stage.spec('hang.yml', { extraVars: { secret: canary } }));
    await until(
      async () => String(await stage.executor.read(other, 'stdout', 0, 1 << 20)).includes('hanging now'),
      30_000,
    );
    const next = await stage.spec('escape.yml');
    const own = join(stage.dataDir, 'jobs', String(next.run_id));
    targets = [
      stage.dataDir,
      join(stage.dataDir, 'keys', 'ring.json'),
      join(stage.dataDir, 'projects/other/secret.yml'),
      socket,
      join(stage.dataDir, 'jobs'),
      join(other.workspace, 'work'),
      join(other.workspace, 'work/env/extra_vars.yml'),
      join(own, 'control'),
      join(own, 'control/pid'),
      join(own, 'spool'),
      join(own, 'spool/events'),
      join(own, 'work/../../control/pid'),
      '/root',
      '/home',
      '/etc/shadow',
      '/proc/1/root/root',
      `/proc/${process.pid}/environ`,
      '/var/lib',
      '/run',
    ];
    const done = await stage.run(
      await stage.spec('escape.yml', { extraVars: { targets }, run: { id: next.run_id, verbosity: 1 } }),
    );
    output = done.stdout + JSON.stringify(done.events);
    server.close();
    delete process.env['CANARY'];
    expect(done.status, done.stdout).to.have.nested.property('exit.rc', 0);
  });
  after(() => stage.end());

  it('reads neither key ring, data folder, database socket, other jobs nor our environment', () => {
    expect(output).to.not.contain(canary);
    expect(output).to.not.contain('s.PGSQL.5432 ->');
    expect(output).to.match(/cannot access '[^']*ring\.json': No such file/);
    expect(output).to.match(/cannot access '[^']*\.s\.PGSQL\.5432': No such file/);
    expect(output).to.match(/cannot access '[^']*\/control\/pid': No such file/);
    expect(output).to.match(/cannot access '[^']*\/spool\/events': No such file/);
  });

  it('sees no process but its own', () => {
    expect(output).to.not.contain('sleep 345');
    expect(output).to.not.contain('mocha');
  });

  it('has no rights over the machine and can gain none', () => {
    expect(output).to.match(/CapEff:\s*\\*t?0000000000000000/);
    expect(output).to.match(/NoNewPrivs:\s*\\*t?1/);
    if (isRoot) expect(output).to.match(/Uid:\s*\\*t?64321/);
  });

  it('writes where it was allowed to', async () => {
    const folder = openFolder();
    const spec = await stage.spec('chatter.yml', { settings: { showPaths: [`${folder}:${folder}:rw`] } as never });
    expect(spec.writablePaths).to.deep.equal([folder]);
    const done = await stage.run({
      ...spec,
      argv: ['/bin/sh', '-c', `echo here > ${folder}/file; echo away > /etc/file; echo away > /file; ls ${folder}`],
      entry: 'success.yml',
    });
    expect(done.stdout)
      .to.match(/file$/m)
      .and.match(/Read-only file system|Permission denied/);
  });
});

describe('runner: isolation', () => {
  it('says what is missing where there is no sandbox', async () => {
    const found = await probeIsolation({ isRoot: false, bwrap: null });
    expect(found).to.include({ mode: 'none', uid: null });
    expect(found.reason).to.contain('install the package "bubblewrap"');
  });

  it('falls back to another user as root', async () => {
    const found = await probeIsolation({ isRoot: true, bwrap: null, setpriv: '/usr/bin/setpriv' });
    expect(found).to.include({ mode: 'uid', uid: 65534 });
  });

  it('finds out when bubblewrap does not work', async () => {
    const found = await probeIsolation({ isRoot: false, bwrap: '/bin/false' });
    expect(found.mode).to.equal('none');
    expect(found.reason).to.contain('does not work on this machine');
  });
});
