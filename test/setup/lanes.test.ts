import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { runInLanes } from '../support/lanes.ts';

describe('a lane of the suite', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'tapline-lanes-'))));
  after(() => removeFolder(folder));

  const file = (name: string, text: string) => {
    const path = join(folder, `${name}.test.ts`);
    writeFileSync(path, text);
    return path;
  };
  /** one after the other, in one process as long as it lives */
  const run = (...files: string[]) => runInLanes(files, { ...process.env }, 1);

  it('tells what passed and what failed', async () => {
    const good = file('good', `it('is right', () => undefined);`);
    const bad = file('bad', `it('is wrong', () => { throw new Error('no'); });`);
    const { passed, failed, failures } = await run(good, bad);
    expect([passed, failed]).to.deep.equal([1, 1]);
    expect(failures[0]).to.include('is wrong');
  });

  const ends: [what: string, text: string, how: RegExp][] = [
    ['is killed in a test', `it('dies', () => new Promise(() => process.kill(process.pid, 'SIGKILL')));`, /SIGKILL/],
    ['exits in a test, even as if all were well', `it('leaves', () => process.exit(0));`, /exit code 0/],
    [
      'is ended by what a file left behind',
      `it('leaves', () => void process.on('message', () => process.exit(3)));`,
      /exit code 3/,
    ],
    [
      'throws what nobody catches after the last test',
      `after(() => void setTimeout(() => { throw new Error('late'); }, 0)); it('leaves', () => undefined);`,
      /exit code [1-9]/,
    ],
  ];
  for (const [what, text, how] of ends)
    it(`fails the run, naming the file, where it ${what}`, async () => {
      const dying = file('dying', text);
      const { failed, failures } = await run(dying);
      expect(failed).to.equal(1);
      expect(failures[0]).to.include(dying).and.match(how);
    });

  it('is replaced where it died: the files after that are run', async () => {
    const dying = file('dying', `it('dies', () => new Promise(() => process.kill(process.pid, 'SIGKILL')));`);
    const good = file('good', `it('is right', () => undefined);`);
    const { passed, failed } = await run(dying, good);
    expect([passed, failed]).to.deep.equal([1, 1]);
  });
});
