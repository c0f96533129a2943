import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { noInjection } from '../../core/credentials/injection/inject.ts';
import { buildCommandSpec } from '../../core/run-kinds/ad-hoc-command/command-spec.ts';
import { argumentsHoldExpression } from '../../core/run-kinds/ad-hoc-command/joined-arguments.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const own = join(import.meta.dirname, '../../.tools/engine/bin/python');
const python = existsSync(own) ? own : '/usr/bin/python3';
const reads = `
import json, sys
from ansible.parsing.splitter import parse_kv
print(json.dumps([' '.join(parse_kv(text, check_raw=True).values()) for text in json.load(sys.stdin)]))`;

/** What the engine's own splitter makes of them. */
function engineReads(texts: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(python, ['-c', reads], { input: JSON.stringify(texts), encoding: 'utf8' });
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** No expression as they stand. */
const joined = [
  `\\ echo "{\n{ lookup('pipe','id') }}"`,
  `\\ chdir="\\x7\nb{ lookup('pipe','id') }}"`,
  `\\ chdir="#jinja2:x"`.replace('2:', '\n2:'),
  `\\ {#{# #}{\n\\\n{ lookup('pipe','id') }} #}`,
  `echo {#{# #}{ \\ \\\n{ lookup('pipe','id') }} #}`,
  `chdir=x \\ chdir=" \\\nx7b{ lookup('pipe','id') }}"`,
];
const plain = [
  'f() {\n{ echo; }\n}; f',
  'curl \\\n  --data "{\n}" \\\n  here',
  'echo a \\\n b\nf() {\n{ echo; }\n}',
  'printf "\\\n{" {\\\n{ x',
  'echo {\\\r\n{',
];

describe('the arguments of ad hoc commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-engine-'));
  before(() => writeFileSync(join(folder, 'ansible'), ''));
  after(() => removeFolder(folder));

  const spec = (text: string, allowJinja: 'template' | 'always') =>
    buildCommandSpec({
      run: {
        id: 1,
        inventory_id: 1,
        timeout: 0,
        job_type: 'run',
        limit: '',
        forks: 0,
        verbosity: 0,
        diff_mode: false,
        become_enabled: false,
        module_name: 'shell',
        module_args: text,
      },
      extraVars: {},
      injected: {},
      inventory: { all: { hosts: ['a'] } },
      credentials: [],
      injection: noInjection,
      passwords: {},
      engine: { command: '', bin: folder, version: '2.19.0', python, readOnlyPaths: [], env: {} },
      settings: {
        allowJinja,
        defaultTimeout: 60,
        spoolLimitBytes: 1000,
        maxEventResult: 1000,
        showPaths: [],
        taskEnv: {},
        callbackFolders: [],
        idleTimeout: 0,
      },
    });

  it('hold an expression where the engine joins their lines to one', () => {
    for (const [at, text] of engineReads(joined).entries()) {
      expect(text, joined[at]).to.match(/\{\{|#jinja2:/);
      expect(argumentsHoldExpression(joined[at]!), joined[at]).to.equal(true);
    }
    for (const [at, text] of engineReads(plain).entries()) {
      expect(text, plain[at]).not.to.match(/\{\{|\{%/);
      expect(argumentsHoldExpression(plain[at]!), plain[at]).to.equal(false);
    }
  });

  it('are judged again when the command is prepared, unless expressions are always allowed', () => {
    for (const text of [...joined, 'echo {{ x }}']) {
      expect(() => spec(text, 'template'), text).to.throw(SpecError, /Jinja/);
      expect(spec(text, 'always').argv).to.include(`--args=${text}`);
    }
    for (const text of plain) expect(spec(text, 'template').argv).to.include(`--args=${text}`);
  });
});
