import { expect } from 'chai';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../core/settings/settings.ts';
import { groupProblem } from '../../core/runner/limits/cgroup.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeStage, type Stage } from './stage.ts';

const root = '/sys/fs/cgroup';

/** Folders that a service could be given on this machine: for both versions of control groups; empty where the system lets nobody make any. */
function delegated(): string[] {
  const name = `tapline-test-${process.pid}`;
  const lists = existsSync(join(root, 'cgroup.controllers'))
    ? [[root]]
    : [['memory', 'pids'].map((one) => join(root, one))];
  for (const parents of lists) {
    try {
      const made = parents.map((parent) => join(parent, name));
      for (const folder of made) mkdirSync(folder);
      return made;
    } catch {
      // read-only here
    }
  }
  return [];
}

const limits: Record<string, number> = { RUN_MAX_MEMORY_BYTES: 300_000_000, ENGINE_MAX_PROCESSES: 500 };
const settings = { get: (key: string) => limits[key] ?? 0 } as unknown as Settings;

describe('control groups of runs', function () {
  const parents = delegated();
  let stage: Stage;

  before(() => (stage = makeStage(undefined, { engineCgroups: parents, settings })));
  after(async () => {
    await stage.end();
    for (const folder of parents) rmdirSync(folder);
  });

  const groups = () => parents.flatMap((parent) => readdirSync(parent).filter((name) => name.startsWith('run-')));
  const inGroups = parents.length > 0;

  it(
    inGroups
      ? 'hold what the engine starts, with the limits of the settings, and go with the workspace'
      : 'are none where the system lets nobody make any (here), and runs go on without',
    async () => {
      const { status, stdout, handle } = await stage.run(await stage.spec('groups.yml'));
      expect(status).to.have.nested.property('exit.rc', 0);
      const names = new Set(groups());
      expect(names.size).to.equal(inGroups ? 1 : 0);
      for (const name of names) {
        expect(stdout).to.include(name);
        expect(name).to.match(new RegExp(`^run-${(handle as unknown as { run_id: number }).run_id}-`));
      }
      const said = parents.flatMap((parent) =>
        ['memory.max', 'memory.limit_in_bytes', 'pids.max']
          .map((file) => join(parent, [...names][0]!, file))
          .filter((file) => existsSync(file))
          .map((file) => Number(readFileSync(file, 'utf8'))),
      );
      // the kernel counts in pages
      const pages = Math.floor(limits.RUN_MAX_MEMORY_BYTES! / 4096) * 4096;
      expect(said.toSorted((a, b) => a - b)).to.deep.equal(inGroups ? [500, pages] : []);
      await stage.executor.cleanup(handle);
      expect(groups()).to.deep.equal([]);
    },
  );

  it(
    inGroups
      ? 'end what takes more memory, and the run says by which setting'
      : 'let a run take what its processes may (no groups here)',
    async () => {
      const { status } = await stage.run(await stage.spec('hog.yml'));
      if (!inGroups) return void expect(status).to.have.nested.property('exit.rc', 0);
      expect(status).to.have.nested.property('exit.reason', 'limit');
      expect(status).to.have.nested.property('exit.detail').that.includes('RUN_MAX_MEMORY_BYTES');
    },
  );

  it('that cannot be made keep a run from starting, with the reason', async () => {
    const folder = temporaryFolder('no-groups');
    const without = makeStage(undefined, { engineCgroups: [folder], settings });
    try {
      const failure = await without.executor.start(await without.spec('success.yml')).catch((error: Error) => error);
      expect(String(failure)).to.include('keeps no limit of memory (ENGINE_CGROUP)');
      expect(readdirSync(folder)).to.deep.equal([]);
    } finally {
      await without.end();
    }
  });

  it('are looked at by doctor', () => {
    expect(groupProblem('/no/such/folder')).to.equal('there is no such folder');
    expect(groupProblem(temporaryFolder('no-group'))).to.equal('it is no control group');
    for (const parent of parents) expect(groupProblem(parent)).to.equal('');
  });
});
