import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const python = join(root, '.tools/engine/bin/python');

/** What is laid out of a document, as if the engine had written it. */
async function laidOut(document: object) {
  const workspace = mkdtempSync(join(tmpdir(), 'tapline-lay-out-'));
  try {
    copyFileSync(join(root, 'core/run-kinds/inventory-update/update.py'), join(workspace, 'update.py'));
    writeFileSync(join(workspace, 'answer.json'), JSON.stringify(document));
    const options = { host_filter: '', enabled_var: 'on', enabled_value: '', instance_id: ['id'], most_bytes: 1e8 };
    writeFileSync(join(workspace, 'options.json'), JSON.stringify(options));
    const engine = ['cp', join(workspace, 'answer.json'), join(workspace, 'result', 'inventory.json')];
    const { stdout } = await promisify(execFile)(python, [join(workspace, 'update.py'), ...engine]);
    const rows = (name: string) => {
      const lines = readFileSync(join(workspace, 'result', name), 'utf8')
        .split('\n')
        .slice(0, -1);
      return lines.map((line) => line.split('\t'));
    };
    return { said: stdout.trim(), groups: rows('groups'), members: rows('members'), hosts: rows('hosts') };
  } finally {
    removeFolder(workspace);
  }
}

describe("the engine's answer for an inventory", () => {
  it('is laid out without the marks of texts, but for those that could be templates', async () => {
    const unsafe = (text: string) => ({ __ansible_unsafe: text });
    const kept = {
      template: unsafe('{{ 1 }}'),
      half: unsafe('a }'),
      header: unsafe("#jinja2: variable_start_string:'[['"),
      vault: { __ansible_vault: 'x' },
      odd: { __ansible_unsafe: 5 },
      wide: { __ansible_unsafe: 'a', b: 1 },
    };
    const marked = { on: unsafe('yes'), id: unsafe('i-1'), list: [unsafe('a'), { b: unsafe('c') }], ...kept };
    const { hosts, groups } = await laidOut({
      _meta: { hostvars: { one: marked, two: { on: false, id: unsafe('{i}') } } },
      web: { hosts: ['one', 'two'], vars: { port: unsafe('80') } },
    });
    const [one, two] = hosts.map(([name, enabled, instance, variables]) => [
      JSON.parse(name!),
      enabled,
      JSON.parse(instance!),
      JSON.parse(variables!),
    ]);
    expect(one).to.deep.equal(['one', '1', 'i-1', { on: 'yes', id: 'i-1', list: ['a', { b: 'c' }], ...kept }]);
    expect(two!.slice(0, 3)).to.deep.equal(['two', '0', '{i}']);
    expect(groups).to.deep.equal([['"web"', '{"port": "80"}']]);
  });

  it('is laid out with a hundred thousand groups', async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `g${at}`);
    const { said, groups, members } = await laidOut({
      _meta: { hostvars: { one: {} } },
      ...Object.fromEntries(names.map((name) => [name, { hosts: ['one'] }])),
    });
    expect(said).to.equal('Found 1 hosts in 100000 groups.');
    expect([groups.length, members.length]).to.deep.equal([100_000, 100_000]);
  });
});
