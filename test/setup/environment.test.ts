import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { setupModule } from './modules.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const { missingEngine } = await setupModule('engine');
const { environmentStamp, writeStamp } = await setupModule('python');
const { systemProblem } = await setupModule('systems');

describe('set-up of the engine', () => {
  let folder: string;
  let command: string | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-environment-'));
    command = process.env['ENGINE_COMMAND'];
    delete process.env['ENGINE_COMMAND'];
  });
  afterEach(() => {
    if (command !== undefined) process.env['ENGINE_COMMAND'] = command;
    removeFolder(folder);
  });

  const interpreter = (name: string) => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  const installed = (checkout: string) => {
    const bin = join(checkout, '.tools', 'engine', 'bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(checkout, 'setup'));
    const requirements = join(checkout, 'setup', 'engine-requirements.txt');
    writeFileSync(requirements, 'engine==1\n');
    writeFileSync(join(bin, 'ansible-playbook'), '');
    symlinkSync(interpreter('python3.11'), join(folder, 'python3'));
    symlinkSync(join(folder, 'python3'), join(bin, 'python'));
    writeStamp(join(checkout, '.tools', 'engine'), environmentStamp(join(checkout, '.tools', 'engine'), requirements));
  };

  it('installs it again where the checkout was moved: its programs name their folder', () => {
    const [before, after] = [join(folder, 'before'), join(folder, 'after')];
    installed(before);
    expect(missingEngine(before)).to.equal(undefined);
    renameSync(before, after);
    expect(missingEngine(after)).to.contain('fits this folder');
  });

  it('installs it again where its Python is another one, or gone', () => {
    installed(folder);
    rmSync(join(folder, 'python3'));
    expect(missingEngine(folder), 'gone').to.contain('Python');
    symlinkSync(interpreter('python3.13'), join(folder, 'python3'));
    expect(missingEngine(folder), 'upgraded').to.contain('Python');
  });

  it('takes its packages by version and hash alone, from wherever pip is told to', () => {
    const files = readdirSync(join(root, 'setup')).filter((file) => file.endsWith('requirements.txt'));
    expect(files).to.have.length(9);
    for (const file of files)
      for (const line of readFileSync(join(root, 'setup', file), 'utf8').split('\n'))
        expect(line, file).to.match(/^$|^ *#|^[\w.[\]-]+==\S+( ; .*)? \\$|^ {4}--hash=sha256:[0-9a-f]{64}( \\)?$/);
  });
});

describe('a system that Tapline does not run on', () => {
  it('is told in one sentence what it lacks', () => {
    const problem = (platform: string, arch = 'x64', musl = false) => systemProblem({ platform, arch, musl });
    expect(problem('linux')).to.equal(undefined);
    expect(problem('linux', 'arm64')).to.equal(undefined);
    expect(problem('linux', 'x64', true)).to.contain('glibc');
    expect(problem('linux', 'riscv64')).to.contain('x64 or arm64');
    expect(problem('win32')).to.contain('WSL 2');
    expect(problem('darwin', 'arm64')).to.contain('/proc').and.to.contain('virtual machine');
    for (const text of [problem('win32'), problem('darwin'), problem('freebsd'), problem('linux', 'x64', true)])
      expect(text).not.to.contain('\n');
  });
});
