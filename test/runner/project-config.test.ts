import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchPaths } from '../../core/runner/project-config.ts';
import { makeStage } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('runner: searchPaths', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-config-'));
    file = join(folder, 'ansible.cfg');
  });
  afterEach(() => removeFolder(folder));

  const wanted = [{ variable: 'PATHS', keys: ['new_path', 'old_path'], first: ['/ours'], otherwise: '/engine' }];
  const found = () => searchPaths(file, wanted)['PATHS'];

  it('puts what the project configures behind ours', () => {
    writeFileSync(file, '# comment\n[other]\nnew_path = /no\n[defaults]\nold_path=./a:~/b ; why\n');
    expect(found()).to.equal('/ours:./a:~/b');
  });

  it("takes the engine's own places where nothing is configured", () => {
    expect(found()).to.equal('/ours:/engine');
    writeFileSync(file, '[defaults]\nnew_path =\n');
    expect(found()).to.equal('/ours:/engine');
  });

  it('follows no link and waits at no pipe', () => {
    writeFileSync(join(folder, 'secret'), '[defaults]\nnew_path=/secret\n');
    symlinkSync('secret', file);
    expect(found()).to.equal('/ours:/engine');
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect(found()).to.equal('/ours:/engine');
  });
});

const callback = `from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = 'own'

    def v2_playbook_on_stats(self, stats):
        self._display.display('the own callback was here')
`;

describe("runner: a project's own callback plugins", function () {
  it('run beside the one that records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-callbacks-'));
    const stage = makeStage();
    try {
      mkdirSync(join(folder, 'own'));
      writeFileSync(join(folder, 'ansible.cfg'), '[defaults]\ncallback_plugins = own\n');
      writeFileSync(join(folder, 'own', 'own.py'), callback);
      writeFileSync(join(folder, 'site.yml'), '- hosts: all\n  gather_facts: false\n  tasks: []\n');
      const done = await stage.run(await stage.spec('site.yml', { checkout: { kind: 'folder', path: folder } }));
      expect(done.stdout).to.contain('the own callback was here');
      expect(done.events.map(({ event }) => event)).to.include('playbook_on_stats');
    } finally {
      await stage.end();
      removeFolder(folder);
    }
  });
});
