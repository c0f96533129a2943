import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalExecutor } from '../../core/runner/local-executor.ts';
import { engineUids } from '../../core/runner/isolation.ts';
import type { Executor } from '../../core/runner/executor.ts';
import { isAlive, type ProcessIdentity } from '../../core/runner/process-identity.ts';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';
import { makeStage, root, type Stage } from './stage.ts';
import { type Found, standbys } from './standbys.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Those of services that other tests of this process started. */
const others = new Set<number>();
const own = () => standbys(process.pid).filter(({ pid }) => !others.has(pid));
const alive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('Z');
  } catch {
    return false;
  }
};
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));

describe('runner: a process that waits for jobs', function () {
  let stage: Stage;
  before(() => {
    for (const { pid } of standbys(process.pid)) others.add(pid);
    stage = makeStage();
  });
  afterEach(async () => {
    stage.executor.close();
    await until(() => own().length === 0);
  });
  after(() => stage.end());

  async function ready(executor: Executor = stage.executor): Promise<Found> {
    await executor.standBy();
    const [found] = await until(() => (own().length ? own() : null), 30_000, 'a process that waits');
    return found!;
  }

  it('forks the wrapper of each job, in a session of its own', async () => {
    const waiting = await ready();
    const first = await stage.executor.start(await stage.spec('hang.yml'));
    const second = await stage.executor.start(await stage.spec('hang.yml'));
    const wrappers = standbys(waiting.pid);
    expect(wrappers.map(({ pid }) => pid)).to.have.members([first['pid'], second['pid']]);
    for (const { pid, session } of wrappers) expect(session).to.equal(pid);
    expect(readFileSync(`/proc/${first['pid']}/comm`, 'utf8').trim()).to.equal(`tapline ${first['run_id']}`);
    for (const handle of [first, second]) {
      await stage.executor.cancel(handle);
      expect((await stage.finished(handle)).status).to.have.nested.property('exit.reason', 'canceled');
    }
    await until(() => standbys(waiting.pid).length === 0);
    expect(own()).to.deep.equal([waiting]);
  });

  it('gives a job exactly what it would have without', async () => {
    const spec = await stage.spec('success.yml');
    spec.argv.push('-e', '{"text": "ü\\n  \\u2028=\\"", "empty": ""}', '--limit', '');
    spec.env['TEXT'] = 'a=b\n☃ ';
    const cold = await stage.run(spec);
    await ready();
    const warm = await stage.run({ ...spec, run_id: 800_000 });
    expect(own()).to.have.length(1);
    expect(warm.status).to.have.nested.property('exit.rc', 0);
    expect(warm.stdout).to.equal(cold.stdout);
  });

  it('keeps nothing of one job for another: no socket, no variable, no secret', async () => {
    const waiting = await ready();
    const secret = await stage.spec('hang.yml');
    secret.env['CANARY'] = 'canary-of-the-first-job';
    const first = await stage.executor.start(secret);
    const second = await stage.executor.start(await stage.spec('hang.yml'));
    for (const pid of [waiting.pid, second['pid'] as number])
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).to.not.contain('CANARY');
    const wrappers = [first['pid'], second['pid']] as number[];
    const withSocket = () =>
      [...wrappers, ...wrappers.flatMap(childrenOf)].filter((pid) =>
        openFiles(pid).some((name) => name.startsWith('socket:')),
      );
    // by its own each said just now that it has begun
    await until(() => withSocket().length === 0, 10_000, 'wrappers without a socket');
    await Promise.all([first, second].map((handle) => stage.executor.cleanup(handle)));
  });

  it('is missed by nobody: when it is gone the job starts all the same, and there is another for the next', async () => {
    const waiting = await ready();
    process.kill(waiting.pid, 'SIGKILL');
    await until(() => !alive(waiting.pid));
    const handle = await stage.executor.start(await stage.spec('success.yml'));
    expect((await stage.finished(handle)).status).to.have.nested.property('exit.rc', 0);
    await stage.executor.standBy();
    const next = await until(() => own().find(({ pid }) => pid !== waiting.pid && pid !== handle['pid']));
    expect(next.pid).to.be.a('number');
  });

  it('is replaced before it is used up', async () => {
    const waiting = await ready();
    for (let job = 0; job < 16; job += 1) {
      const spec = await stage.spec('success.yml');
      await stage.run({ ...spec, argv: ['/usr/bin/true'] });
      await stage.executor.standBy();
    }
    await until(() => own().some(({ pid }) => pid !== waiting.pid), 30_000, 'another one');
    expect(alive(waiting.pid)).to.equal(true);
  });

  it('is not there where playbooks run as the service itself', async () => {
    const engineTool = {
      ...stage.engineTool,
      isolation: async () =>
        ({
          mode: 'none',
          reason: 'a test',
          uid: null,
          gid: null,
          uids: engineUids,
          bwrap: null,
          setpriv: null,
        }) as const,
    };
    const executor = createLocalExecutor({ config: { dataDir: stage.dataDir }, log: silentLog, engineTool });
    await executor.standBy();
    const waiting = await ready();
    expect(own()).to.deep.equal([waiting]);
    executor.close();
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`ends with the service at ${signal}, and the jobs it began go on`, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'tapline-standby-'));
      const spec = { ...(await stage.spec('hang.yml')), run_id: 1 };
      const service = spawn(process.execPath, [join(import.meta.dirname, 'standby-service.ts')], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH']! },
      });
      service.stdin.end(JSON.stringify({ root, dataDir, spec }));
      const [said] = (await once(service.stdout, 'data')) as [Buffer];
      const handle = JSON.parse(String(said)) as ProcessIdentity & { workspace: string; executor: string };
      const [waiting] = standbys(service.pid!);
      expect(standbys(waiting!.pid).map(({ pid }) => pid)).to.deep.equal([handle.pid]);
      const ended = once(service, 'exit');
      service.kill(signal);
      await ended;
      await until(() => !alive(waiting!.pid), 30_000, 'the end of the one that waits');
      expect(isAlive(handle)).to.equal(true);
      const another = createLocalExecutor({ config: { dataDir }, log: silentLog, engineTool: stage.engineTool });
      expect(await another.status(handle as never)).to.deep.equal({ state: 'running' });
      await another.cleanup(handle as never);
      expect(isAlive(handle)).to.equal(false);
      removeFolder(dataDir);
    });
  }
});
