import { expect } from 'chai';
import { credentialProblems, effectiveCredentials } from '../../core/run-kinds/job/launch/credential-slots.ts';
import { prompts, promptsOf } from '../../core/runs/prompts/prompts.ts';
import { readLaunchBody as readBody } from '../../core/runs/prompts/read.ts';
import { sortPrompts } from '../../core/runs/prompts/sort.ts';
import { mergeVariables, readVariables } from '../../core/yaml/variables.ts';

const settings = { get: () => 200 } as never;
const credential = (id: number, type: number, inputs: object = {}, kind = 'ssh') =>
  ({ id, name: `c${id}`, inputs, type: { id: type, name: `T${type}`, kind, namespace: kind } }) as never;
const template = (over: object = {}) =>
  ({ id: 1, project: null, inventory_id: null, credentials: [], labels: [], variables: {}, ...over }) as never;
const sort = (given: Record<string, unknown>, over: object = {}) => sortPrompts(prompts, given, template(over));
const readLaunchBody = (body: Record<string, unknown>, of: never) => readBody(prompts, body, of);

/** A value of each prompt that differs from what the template has. */
const values: Record<string, unknown> = {
  extra_vars: { a: 1 },
  inventory: 9,
  limit: 'x',
  scm_branch: 'b',
  labels: [1],
  job_tags: 't',
  skip_tags: 's',
  diff_mode: true,
  job_type: 'check',
  verbosity: 2,
  credentials: [4],
  execution_environment: 3,
  forks: 7,
  job_slice_count: 2,
  timeout: 5,
  instance_groups: [1],
};

describe('launch prompts', () => {
  it('has a value of each in this table', () => {
    expect(prompts.map(({ name }) => name)).to.have.members(Object.keys(values));
  });

  for (const { name: key, flag } of prompts) {
    it(`takes ${key} where ${flag} is on and ignores it where it is off`, () => {
      const given = { [key]: values[key] };
      expect(sort(given, { [flag]: true })).to.deep.equal({ accepted: given, ignored: {} });
      expect(sort(given)).to.deep.equal({ accepted: {}, ignored: given });
    });

    it(`refuses null as ${key}`, async () => {
      expect((await readLaunchBody({ [key]: null }, settings)).errors).to.deep.equal({
        [key]: ['This field may not be null.'],
      });
    });
  }

  it('names those that there are where somebody asks for another', () => {
    expect(() => promptsOf(['limit', 'colour'])).to.throw(/no prompt is called colour; there are extra_vars/);
  });

  it('refuses names of branches that git could take for an option', async () => {
    for (const name of ['-x', '--upload-pack=id', 'a b', 'a..b'])
      // oxlint-disable-next-line no-await-in-loop
      expect((await readLaunchBody({ scm_branch: name }, settings)).errors).to.have.property('scm_branch');
    expect((await readLaunchBody({ scm_branch: 'feature/a-1' }, settings)).errors).to.deep.equal({});
  });

  it('refuses what the engine would evaluate on the node, in whatever writing', async () => {
    const written = [
      "{{ lookup('pipe', 'id') }}",
      '{% if x %}',
      String.raw`\x7b\x7b 1 }}`,
      String.raw`\u007b{ 1 }}`,
      String.raw`\x5cx7b{ 1 }}`,
      String.raw`\N{LEFT CURLY BRACKET}{ 1 }}`,
      "#jinja2:variable_start_string:'[['\n[[ 1 ]]",
    ];
    for (const name of ['limit', 'job_tags', 'skip_tags'])
      for (const value of written)
        // oxlint-disable-next-line no-await-in-loop
        expect((await readLaunchBody({ [name]: value }, settings)).errors, value).to.have.all.keys(name);
    const plain = { limit: 'web*:!~db{1}', job_tags: 'a}}', skip_tags: String.raw`\x7b # jinja2: {` };
    expect((await readLaunchBody(plain, settings)).errors).to.deep.equal({});
  });

  it('takes the project branch for the own one of a template without', () => {
    expect(sort({ scm_branch: 'main' }, { scm_branch: '', project: { scm_branch: 'main' } })).to.deep.equal({
      accepted: {},
      ignored: {},
    });
  });

  it('reads passwords at the top level unless they are nested, and nothing else as one', async () => {
    const top = { ssh_password: 'a', 'vault_password.x': 'b', become_password: '', other_password: 'c' };
    expect((await readLaunchBody(top, settings)).passwords).to.deep.equal({
      ssh_password: 'a',
      'vault_password.x': 'b',
    });
    expect(
      (await readLaunchBody({ ...top, credential_passwords: { ssh_password: 'n' } }, settings)).passwords,
    ).to.deep.equal({
      ssh_password: 'n',
    });
    expect((await readLaunchBody({ credential_passwords: [] }, settings)).errors).to.have.property(
      'credential_passwords',
    );
    expect((await readLaunchBody({ ssh_password: 5 }, settings)).errors).to.have.property('credential_passwords');
  });

  it('keeps one credential per type, vaults per id', () => {
    const [one, two] = [credential(1, 1), credential(2, 1)];
    const vault = (id: number, name: string) => credential(id, 3, { vault_id: name }, 'vault');
    expect(effectiveCredentials([one, vault(5, 'a')], [two, vault(6, 'b')]).map(({ id }: any) => id)).to.deep.equal([
      5, 2, 6,
    ]);
    expect(credentialProblems([], [one, two])).to.have.length(1);
    expect(credentialProblems([], [vault(5, 'a'), vault(6, 'b')])).to.deep.equal([]);
    expect(credentialProblems([one], [vault(5, 'a')])).to.have.length(1);
    expect(credentialProblems([], [credential(7, 9, {}, 'scm')])).to.have.length(1);
  });

  it('reads variables as JSON or YAML mappings and nothing else', async () => {
    for (const extra_vars of ['', '{}', '---\n', 'a: 1', '{"a": 1}', 'a:\n  - b\n', 'a: 1\na: 2', {}]) {
      const { given, errors } = await readLaunchBody({ extra_vars }, settings);
      expect(errors, String(extra_vars)).to.deep.equal({});
      expect(given['extra_vars'], String(extra_vars)).to.be.an('object');
    }
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`).join('\n')}`;
    for (const extra_vars of ['[1]', '5', '"x"', 'a: .inf', 'a: &x [*x]', '{a: [', 'a: !vault x', bomb, [1], 7, true])
      expect((await readLaunchBody({ extra_vars }, settings)).errors, String(extra_vars)).to.have.all.keys(
        'extra_vars',
      );
    await readVariables(bomb).then(
      () => expect.fail('it was read'),
      (error: Error) => expect(error.message).to.match(/YAML/),
    );
  });

  it('merges by key, own keys only', () => {
    const merged = mergeVariables({ a: 1, b: { x: 1 } }, JSON.parse('{"b": {"y": 2}, "__proto__": {"z": 1}}'));
    expect(Object.keys(merged)).to.deep.equal(['a', 'b', '__proto__']);
    expect(merged['b']).to.deep.equal({ y: 2 });
    expect((merged as any).z).to.equal(undefined);
  });
});
