import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Handle } from '../../core/runner/executor.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { localHosts, makeStage, type Stage } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Every process with this text in its command line. */
function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0];
        return line.includes(text) && state !== 'Z' ? [`${pid} ${line}`] : [];
      } catch {
        return [];
      }
    });
}

describe('runner: local executor', function () {
  let stage: Stage;
  before(() => (stage = makeStage()));
  after(() => stage.end());

  /** Runs hang.yml with sleeps that no other run has. */
  async function hanging(changes: Parameters<Stage['spec']>[1] = {}) {
    const spec = await stage.spec('hang.yml', { templateVars: {}, ...changes });
    const handle = await stage.executor.start(spec);
    return { spec, handle };
  }
  const said = (handle: Handle, text: string) =>
    until(async () => String(await stage.executor.read(handle, 'stdout', 0, 1 << 20)).includes(text), 30_000, text);
  const left = (handle: Handle) => processesWith(handle.workspace);

  it('tells by the handle alone how a run goes: running, then its exit', async () => {
    const handle = await stage.executor.start(await stage.spec('success.yml'));
    expect(JSON.parse(JSON.stringify(handle))).to.deep.equal(handle);
    expect((await stage.executor.status(handle)).state).to.equal('running');
    const { status, stdout } = await stage.finished(handle);
    expect(status)
      .to.deep.include({ state: 'exited' })
      .and.nested.include({ 'exit.rc': 0, 'exit.reason': 'exit', 'exit.signal': null });
    expect(stdout).to.contain('PLAY RECAP');
  });

  it('calls the watcher as output arrives and when the run ends', async () => {
    const handle = await stage.executor.start(await stage.spec('success.yml'));
    const sizes: number[] = [];
    const stop = stage.executor.watch(
      handle,
      () => void stage.executor.read(handle, 'stdout', 0, 1 << 20).then((text) => sizes.push(text.length)),
    );
    await stage.finished(handle);
    await until(() => sizes.length > 1);
    stop();
    expect(Math.max(...sizes)).to.be.above(0);
  });

  it('tells that the last event is written before the engine has ended', async () => {
    const { handle } = await stage.run(await stage.spec('success.yml'));
    const changed = (file: string) => statSync(join(handle.workspace, file)).mtimeMs;
    expect(changed('control/pid')).to.be.at.least(changed('spool/events')).and.at.most(changed('control/exit'));
  });

  it('reads from any offset, at most as much as asked for', async () => {
    const { handle, stdout } = await stage.run(await stage.spec('success.yml'));
    expect(String(await stage.executor.read(handle, 'stdout', 5, 10))).to.equal(stdout.slice(5, 15));
    expect(await stage.executor.read(handle, 'stdout', 1e9, 10)).to.have.length(0);
  });

  it('starts a run once, however often it is asked to', async () => {
    const spec = await stage.spec('success.yml');
    const first = await stage.executor.start(spec, { mask: 'sealed' });
    expect(first['mask']).to.equal('sealed');
    expect(await stage.executor.start(spec)).to.deep.equal(first);
    await stage.finished(first);
    expect(await stage.executor.recover(spec.run_id), 'what it was told, too').to.deep.equal(first);
  });

  it('recovers nothing from a half-made workspace, and removes it', async () => {
    mkdirSync(join(stage.dataDir, 'jobs', '900001', 'control'), { recursive: true });
    expect(await stage.executor.recover(900001)).to.equal(null);
    expect(existsSync(join(stage.dataDir, 'jobs', '900001'))).to.equal(false);
    expect(await stage.executor.recover(900002)).to.equal(null);
  });

  it('cancels: the engine ends, and with it what it left in the background and what hides', async () => {
    const { handle } = await hanging();
    await said(handle, 'hanging now');
    await stage.executor.cancel(handle);
    const { status } = await stage.finished(handle);
    expect(status).to.have.nested.property('exit.reason', 'canceled');
    await until(() => left(handle).length === 0);
    expect(processesWith('sleep 345')).to.deep.equal([]);
  });

  it('ends a run at its timeout', async () => {
    const { handle } = await hanging({ run: { timeout: 2 } });
    const { status } = await stage.finished(handle);
    expect(status).to.have.nested.property('exit.reason', 'timeout');
    expect(processesWith('sleep 345')).to.deep.equal([]);
    // the wrapper's last act is the record that ends the wait above
    await until(() => left(handle).length === 0);
  });

  it('leaves no process behind when the wrapper is killed, and knows that the run is lost', async () => {
    const { handle } = await hanging();
    await said(handle, 'hanging now');
    process.kill(handle['pid'] as number, 'SIGKILL');
    const { status } = await stage.finished(handle);
    expect(status.state).to.equal('lost');
    await until(() => left(handle).length === 0 && processesWith('sleep 345').length === 0);
  });

  it('never takes another process for the run', async () => {
    const { handle } = await stage.run(await stage.spec('success.yml'));
    rmSync(join(handle.workspace, 'control', 'exit'));
    const other = { ...handle, pid: process.pid };
    expect((await stage.executor.status(other)).state).to.equal('lost');
    await stage.executor.cancel(other);
    expect(await stage.executor.status({ ...handle, boot: 'another' })).to.deep.include({
      state: 'lost',
      detail: 'The machine was restarted while the job ran.',
    });
  });

  it('pauses the engine while too much waits to be stored, and loses nothing', async () => {
    const spec = await stage.spec('chatter.yml', { settings: { spoolLimitBytes: 200_000 } as any });
    const handle = await stage.executor.start(spec);
    const engine = await until(
      () =>
        processesWith(`${handle.workspace}/work/inventory.json`)
          .find((line) => / \S*python\S* \S*ansible-playbook/.test(line))
          ?.split(' ')[0],
    );
    await until(
      () => readFileSync(`/proc/${engine}/stat`, 'utf8').split(') ')[1]![0] === 'T',
      30_000,
      'a paused engine',
    );
    const size = (stream: string) => statSync(join(handle.workspace, 'spool', stream)).size;
    await until(async () => {
      await stage.executor.acknowledge(handle, { events: size('events'), stdout: size('stdout') });
      return (await stage.executor.status(handle)).state === 'exited';
    }, 90_000);
    const { stdout, events, status } = await stage.finished(handle);
    expect(status).to.have.nested.property('exit.rc', 0);
    expect(events.filter(({ event }) => event === 'runner_item_on_ok')).to.have.length(1200);
    expect(stdout).to.contain('PLAY RECAP');
  });

  it('refuses an environment that would reach the programs around the engine', async () => {
    const spec = await stage.spec('success.yml');
    for (const env of [
      { LD_PRELOAD: '/x.so' },
      { 'A=B': '' },
      { NUL: 'a\0b' },
      { LONG: 'x'.repeat(200_000) },
    ] as Record<string, string>[]) {
      const error = await stage.executor.start({ ...spec, env }).then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect(error).to.have.property('name', 'SpecError');
    }
  });

  it('explains an engine that cannot be started, and leaves no workspace', async () => {
    const spec = await stage.spec('success.yml');
    const error = await stage.executor.start({ ...spec, cwd: 'nowhere' }).then(
      (handle) => stage.finished(handle),
      (thrown: Error) => thrown,
    );
    const text = error instanceof Error ? error.message : error.stdout;
    expect(text).to.match(/nowhere|No such file/);
  });

  it('reads the fact cache, but follows no link that the playbook left there', async () => {
    const { handle } = await stage.run(
      await stage.spec('facts.yml', { run: { use_fact_cache: true }, inventory: localHosts('one', 'two') }),
    );
    symlinkSync('/etc/passwd', join(handle.workspace, 'work', 'fact_cache', 'link'));
    const found = await Array.fromAsync(stage.executor.readFolder(handle, 'fact_cache'));
    expect(found.map(({ name }) => name).toSorted()).to.deep.equal(['one', 'two']);
    expect(JSON.parse(found[0]!.content)).to.include.keys('ansible_python_version', 'kept');
    symlinkSync('/etc', join(handle.workspace, 'work', 'away'));
    expect(await Array.fromAsync(stage.executor.readFolder(handle, 'away'))).to.deep.equal([]);
  });

  it('removes the workspace, twice if need be', async () => {
    const { handle } = await stage.run(await stage.spec('success.yml'));
    await stage.executor.cleanup(handle);
    await stage.executor.cleanup(handle);
    expect(existsSync(handle.workspace)).to.equal(false);
  });

  it('wipes secrets and removes folders however deep they lie, and whatever their rights', async () => {
    const deep = (folder: string) =>
      `os.chdir(work + '${folder}')\nfor _ in range(60): os.mkdir('d' * 100); os.chdir('d' * 100)\n`;
    const script = `import os\nwork = os.path.dirname(os.getcwd())\n${deep('/env')}${deep('/home')}os.makedirs(work + '/tmp/closed/in')\nos.chmod(work + '/tmp/closed', 0)`;
    const spec = await stage.spec('success.yml');
    const python = (await stage.engineTool.engine()).python;
    const { handle, status, stdout } = await stage.run({ ...spec, argv: [python, '-c', script] });
    expect(status, stdout).to.have.nested.property('exit.rc', 0);
    expect(existsSync(join(handle.workspace, 'work', 'env'))).to.equal(false);
    await stage.executor.cleanup(handle);
    expect(existsSync(handle.workspace)).to.equal(false);
  });

  it('takes a code of the engine for a signal only where it is one', async () => {
    const spec = await stage.spec('success.yml');
    const { status } = await stage.run({ ...spec, argv: ['/bin/sh', '-c', 'exit 250'] });
    expect(status).to.have.nested.include({ 'exit.rc': 250, 'exit.signal': null, 'exit.reason': 'exit' });
  });

  it('is the first to go when the kernel is short of memory', async () => {
    const spec = await stage.spec('success.yml');
    const { stdout } = await stage.run({ ...spec, argv: ['/bin/cat', '/proc/self/oom_score_adj'] });
    expect(stdout.trim()).to.equal('500');
  });

  it('ends a run that still goes before it removes the workspace', async () => {
    const { handle } = await hanging();
    await said(handle, 'hanging now');
    await stage.executor.cleanup(handle);
    expect(existsSync(handle.workspace)).to.equal(false);
    await until(() => processesWith('sleep 345').length === 0);
  });
});

describeWith(['root', 'mount'], 'runner: a full disk', function () {
  it('ends the run with that reason, and still records it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=0755', 'tmpfs', folder]);
    const stage = makeStage(folder);
    try {
      const { status } = await stage.run(await stage.spec('fill_disk.yml'));
      expect(status).to.have.nested.property('exit.reason', 'disk_full');
      expect(status)
        .to.have.nested.property('exit.detail')
        .that.matches(/no space left/i);
    } finally {
      await stage.end().catch(() => undefined);
      execFileSync('umount', [folder]);
      removeFolder(folder);
    }
  });
});
