import { expect } from 'chai';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineUids, forRun, probeIsolation, shownBy } from '../../core/runner/isolation.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { isRoot, makeStage, openFolder, type Stage } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const canary = 'canary-of-the-service';

describeWith(['bwrap'], 'runner: what a playbook can see', function () {
  let stage: Stage;
  let output: string;
  let targets: string[];
  let user: number | null;

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
    user = forRun(await stage.engineTool.isolation(), next.run_id).uid;
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
    if (isRoot) expect(output).to.match(new RegExp(`Uid:\\s*\\\\*t?${user}\\b`));
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

describeWith(['bwrap', 'root'], 'runner: a data folder below one that playbooks see', function () {
  const places: [string, string, (folder: string) => string[]][] = [
    ['/opt', '/opt', () => []],
    ['a folder shown by a setting', tmpdir(), (folder) => [`${folder}:${folder}:ro`]],
    ['a folder shown elsewhere', tmpdir(), (folder) => [`${folder}:/shown/here:rw`]],
  ];
  for (const [what, above, showPaths] of places) {
    it(`is hidden: ${what}`, async () => {
      const folder = mkdtempSync(join(above, 'tapline-shown-'));
      chmodSync(folder, 0o755);
      const data = join(folder, 'data');
      mkdirSync(data);
      const stage = makeStage(data);
      try {
        for (const name of ['near', 'data/secret']) writeFileSync(join(folder, name), canary, { mode: 0o644 });
        const settings = { showPaths: showPaths(folder) } as never;
        const spec = await stage.spec('success.yml', { settings });
        const script = `cat ${folder}/data/secret /shown/here/data/secret; ls ${folder}/data/jobs /shown/here/data; id -u`;
        const done = await stage.run({ ...spec, argv: ['/bin/sh', '-c', script] });
        expect(done.stdout).to.contain('No such file');
        expect(done.stdout).to.not.contain(canary);
        const near = await stage.spec('success.yml', { settings });
        const around = await stage.run({ ...near, argv: ['/bin/sh', '-c', `cat ${folder}/near /shown/here/near`] });
        expect(around.stdout).to.contain(canary);
        expect((await stage.run(await stage.spec('success.yml', { settings }))).status).to.have.nested.property(
          'exit.rc',
          0,
        );
        expect(shownBy(data, [folder])).to.be.oneOf(['/opt', folder]);
      } finally {
        await stage.end();
        removeFolder(folder);
      }
    });
  }
});

describe('runner: isolation', () => {
  it('says what is missing where there is no sandbox', async () => {
    const found = await probeIsolation({ isRoot: false, bwrap: null });
    expect(found).to.include({ mode: 'none', uid: null });
    expect(found.reason).to.contain('install the package "bubblewrap"');
  });

  it('falls back to another user as root', async () => {
    const found = await probeIsolation({ isRoot: true, bwrap: null, setpriv: '/usr/bin/setpriv' });
    expect(found).to.include({ mode: 'uid', uid: engineUids.first });
  });

  it('never runs playbooks as somebody whom the machine knows, such as the owner of the embedded Postgres', async () => {
    const wrong = await probeIsolation({ isRoot: true, uids: { first: 60_000, last: 65_534 } }).catch(
      (error: Error) => error.message,
    );
    expect(wrong).to.match(/60000-65534 .* is the user "nobody".*ENGINE_UIDS/);
  });

  it('gives runs beside each other different users', async () => {
    const found = await probeIsolation({ isRoot: true, bwrap: null, setpriv: '/usr/bin/setpriv' });
    const users = Array.from({ length: 999 }, (_, run) => forRun(found, 12_345 + run).uid);
    expect(new Set(users).size).to.equal(999);
    expect(Math.min(...(users as number[]))).to.equal(engineUids.first);
    // the last one evaluates expressions
    expect(Math.max(...(users as number[]))).to.equal(engineUids.last - 1);
  });

  it('finds out when bubblewrap does not work', async () => {
    const found = await probeIsolation({ isRoot: false, bwrap: '/bin/false' });
    expect(found.mode).to.equal('none');
    expect(found.reason).to.contain('does not work on this machine');
  });
});
