import { expect } from 'chai';
import { parse } from 'yaml';
import { noInjection } from '../../core/credentials/injection/inject.ts';
import { extraVarsFile } from '../../core/run-kinds/execution/extra-vars-file.ts';
import { injectedVariables } from '../../core/run-kinds/execution/injected-variables.ts';
import { showWorkspace } from '../../core/run-kinds/execution/engine-run.ts';
import { buildJobSpec, type JobSpecInput } from '../../core/run-kinds/job/execution/job-spec.ts';
import { staticInventory } from '../../core/run-kinds/execution/static-inventory.ts';

const engine = {
  command: '/opt/engine/bin/ansible-playbook',
  bin: '/opt/engine/bin',
  version: '2.19.0',
  python: '/usr/bin/python3',
  readOnlyPaths: [],
  env: {},
};
const input = (changes: Partial<JobSpecInput> = {}, run: Partial<JobSpecInput['run']> = {}): JobSpecInput => ({
  run: {
    id: 7,
    inventory_id: 3,
    timeout: 0,
    use_fact_cache: false,
    job_type: 'run',
    playbook: 'site.yml',
    limit: '',
    job_tags: '',
    skip_tags: '',
    start_at_task: '',
    forks: 0,
    verbosity: 0,
    force_handlers: false,
    diff_mode: false,
    become_enabled: false,
    ...run,
  },
  extraVars: {},
  templateVars: {},
  injected: {},
  inventory: { all: { hosts: ['a'] } },
  credentials: [],
  injection: noInjection,
  passwords: {},
  facts: [],
  requirements: null,
  checkout: { kind: 'folder', path: '/projects/p' },
  engine,
  settings: {
    allowJinja: 'template',
    defaultTimeout: 60,
    spoolLimitBytes: 1000,
    maxEventResult: 700_000,
    factTimeout: 0,
    showPaths: [],
    taskEnv: {},
    callbackFolders: [],
    idleTimeout: 0,
  },
  ...changes,
});
const file = (spec: ReturnType<typeof buildJobSpec>, path: string) =>
  String(spec.files.find((found) => found.path === path)?.content);

describe('runner: buildJobSpec', () => {
  it('turns the fields of a job into options', () => {
    const { argv } = buildJobSpec(
      input(
        {},
        {
          job_type: 'check',
          diff_mode: true,
          become_enabled: true,
          force_handlers: true,
          forks: 9,
          limit: 'web:!db',
          job_tags: 'a,b',
          skip_tags: 'c',
          start_at_task: 'Do it',
          verbosity: 7,
        },
      ),
    );
    expect(argv).to.deep.equal([
      engine.command,
      '-i',
      '{workspace}/inventory.json',
      '--check',
      '--diff',
      '--become',
      '--force-handlers',
      '--forks=9',
      '--limit=web:!db',
      '--tags=a,b',
      '--skip-tags=c',
      '--start-at-task=Do it',
      '-vvvvv',
      '-e',
      '@{workspace}/env/extra_vars.yml',
      'site.yml',
    ]);
  });

  it('keeps values from becoming options', () => {
    const { argv } = buildJobSpec(input({}, { limit: '--module-path=/x', job_tags: '-vvvv', playbook: '--version' }));
    expect(argv).to.include('--limit=--module-path=/x').and.include('--tags=-vvvv').and.include('./--version');
  });

  it('hands no expressions over that the engine would evaluate', () => {
    const machine = (inputs: object) => ({ name: 'm', type: { kind: 'ssh', namespace: 'ssh' }, inputs });
    for (const given of [
      input({}, { limit: '{{ x }}' }),
      input({}, { skip_tags: '{{ x }}' }),
      input({ credentials: [machine({ username: '{{ x }}' })] } as never),
      input({ credentials: [machine({ become_username: '{% x %}' })] } as never),
    ])
      expect(() => buildJobSpec(given)).to.throw(/expression/);
  });

  it('explains what the operating system would refuse', () => {
    for (const [run, text] of [
      [{ limit: 'a\0b' }, /limit contains a NUL/],
      [{ limit: 'x'.repeat(200_000) }, /limit is longer than 128 KiB/],
      [{ playbook: '' }, /no playbook/],
      [{ playbook: '../x.yml' }, /inside the project/],
      [{ playbook: '/x.yml' }, /inside the project/],
    ] as const) {
      expect(() => buildJobSpec(input({}, run)))
        .to.throw(text)
        .with.property('name', 'SpecError');
    }
    expect(
      file(buildJobSpec(input({ extraVars: { big: 'x'.repeat(10 << 20) } })), 'env/extra_vars.yml'),
    ).to.have.length.above(10 << 20);
  });

  it('hands secrets over by file, wipes them, and shows them nowhere', () => {
    const spec = buildJobSpec(
      input({
        credentials: [
          {
            name: 'M',
            type: { kind: 'ssh', namespace: 'ssh' },
            inputs: {
              password: 'ASK',
              become_password: 'stored-become',
              become_method: 'sudo',
              become_username: 'admin',
              ssh_key_data: 'private-text',
              ssh_key_unlock: 'ASK',
            },
          },
          {
            name: 'V',
            type: { kind: 'vault', namespace: 'vault' },
            inputs: { vault_password: 'ASK', vault_id: 'prod' },
          },
          { name: 'W', type: { kind: 'vault', namespace: 'vault' }, inputs: { vault_password: 'plain-vault' } },
        ],
        passwords: {
          ssh_password: 'given-login',
          ssh_key_unlock: 'given-phrase',
          'vault_password.prod': 'given-vault',
        },
      }),
    );
    expect(spec.argv).to.include.members([
      '--user=root',
      '--connection-password-file={workspace}/env/ssh_password',
      '--become-method=sudo',
      '--become-user=admin',
      '--become-password-file={workspace}/env/become_password',
      '--vault-id=prod@{workspace}/env/vault_0',
      '--vault-password-file={workspace}/env/vault_1',
    ]);
    expect(spec.sshKeys).to.deep.equal([{ key: 'private-text', passphrase: 'given-phrase' }]);
    const secrets = ['given-login', 'stored-become', 'given-phrase', 'given-vault', 'plain-vault', 'private-text'];
    expect(spec.secrets).to.have.members(secrets);
    expect(
      spec.files.filter(({ path }) => path.startsWith('env/')).every(({ mode = 0o600 }) => mode === 0o600),
    ).to.equal(true);
    expect(spec.secretPaths).to.include('env');
    for (const secret of secrets) expect(JSON.stringify([spec.argv, spec.env, spec.shown])).to.not.contain(secret);
  });

  it('names the credential and the input that nobody gave', () => {
    const credentials = [{ name: 'Login', type: { kind: 'ssh', namespace: 'ssh' }, inputs: { password: 'ASK' } }];
    expect(() => buildJobSpec(input({ credentials }))).to.throw(
      'Credential "Login" asks for its password at launch, but none was given.',
    );
  });

  it('takes its own timeout, else the default, else none', () => {
    expect([5, 0, -1].map((timeout) => buildJobSpec(input({}, { timeout })).timeout_s)).to.deep.equal([5, 60, 0]);
  });

  it('leaves nothing of our environment in the run', () => {
    const { env } = buildJobSpec(input());
    expect(env).to.include({ HOME: '{workspace}/home', JOB_ID: '7', INVENTORY_ID: '3' });
    expect(env['PATH']).to.match(/^\/opt\/engine\/bin:/);
    expect(
      Object.keys(env).filter(
        (name) => Object.hasOwn(process.env, name) && process.env[name] === env[name] && !name.startsWith('L'),
      ),
    ).to.deep.equal([]);
  });

  it('shows the command with the place where it ran', () => {
    const shown = showWorkspace(buildJobSpec(input()).shown, { workspace: '/data/jobs/7' });
    expect(JSON.parse(shown.job_args)).to.include('/data/jobs/7/work/inventory.json');
    expect(shown.job_cwd).to.equal('/data/jobs/7/work/project');
  });

  it('keeps facts of hosts with a name that is a file name', () => {
    const facts = [
      { host: 'a', document: '{}' },
      { host: '../b', document: '{}' },
      { host: '..', document: '{}' },
    ];
    const { files } = buildJobSpec(input({ facts }, { use_fact_cache: true }));
    expect(files.map(({ path }) => path).filter((path) => path.startsWith('fact_cache'))).to.deep.equal([
      'fact_cache/a',
    ]);
  });
});

describe('runner: extra variables', () => {
  const tags = { customTags: [{ tag: '!unsafe', resolve: (text: string) => `inert:${text}` }] };
  const read = (options: Partial<Parameters<typeof extraVarsFile>[0]>) =>
    parse(extraVarsFile({ merged: {}, template: {}, injected: {}, allowJinja: 'template', ...options }), {
      ...tags,
      version: '1.1',
    });

  it('keeps what was given at launch from being evaluated, unless it is the unchanged value of the template', () => {
    const merged = { own: '{{ x }}', changed: '{{ y }}', nested: { list: ['{{ z }}', 1, null, true] } };
    const template = { own: '{{ x }}', changed: '{{ other }}' };
    expect(read({ merged, template })).to.deep.equal({
      own: '{{ x }}',
      changed: 'inert:{{ y }}',
      nested: { list: ['inert:{{ z }}', 1, null, true] },
    });
    expect(read({ merged, template, allowJinja: 'always' })).to.deep.equal(merged);
    expect(read({ merged, template, allowJinja: 'never' }).own).to.equal('inert:{{ x }}');
  });

  it('keeps texts that look like something else', () => {
    const texts = ['0777', '1.10', 'yes', '12:30', '', '=', '<<', '!', '5\n', '2001-01-01', 'null'];
    const file = extraVarsFile({ merged: { texts }, template: {}, injected: {}, allowJinja: 'template' });
    expect(file).to.equal(`{\n? "texts"\n: [${texts.map((text) => JSON.stringify(text)).join(', ')}]\n}\n`);
  });

  it('puts the injected variables over all others', () => {
    expect(read({ merged: { svc_job_id: 'mine' }, injected: { svc_job_id: 4 } })).to.deep.equal({ svc_job_id: 4 });
  });

  it('survives names and texts that YAML would stumble over', () => {
    const merged = {
      'a: b': 'c: d # e',
      __proto: '- x',
      'line\nbreak': 'tab\t"quote" \\ \u2028 \u0085 \u007f 😀',
      ['k'.repeat(3000)]: 1e30,
      small: -2.5e-9,
      empty: {},
      none: [],
    };
    expect(read({ merged, allowJinja: 'always' })).to.deep.equal(merged);
  });

  it('tells a run about itself under three prefixes', () => {
    const values = injectedVariables({
      run: { id: 5, launch_type: 'manual' },
      template: { id: 2, name: 'T' },
      user: { id: 1, username: 'u', email: null, first_name: '', last_name: '' },
    });
    expect(values).to.include({
      svc_job_id: 5,
      awx_job_id: 5,
      tower_job_id: 5,
      svc_job_template_name: 'T',
      awx_user_name: 'u',
      tower_user_email: '',
    });
    expect(values).to.not.have.property('svc_inventory_id');
  });
});

describe('runner: static inventory', () => {
  it('says the same as the dynamic form', () => {
    const document = {
      all: { hosts: ['lone'], children: ['web', 'db'], vars: { everywhere: 1 } },
      web: { hosts: ['a', 'b'], vars: { port: 80 } },
      db: { children: ['web'] },
      _meta: { hostvars: { a: { x: 1 }, b: {}, lone: {} } },
    };
    expect(JSON.parse(staticInventory(document))).to.deep.equal({
      all: { hosts: { a: { x: 1 }, b: null, lone: null }, children: { web: null, db: null }, vars: { everywhere: 1 } },
      web: { hosts: { a: null, b: null }, vars: { port: 80 } },
      db: { children: { web: null } },
    });
  });

  it('replaces half of a surrogate pair, which no program can read, and nothing that looks like one', () => {
    const hostvars = { a: { x: 'a\ud800b', y: '\\ud800', z: '\\\udfff', pair: '\u{1f600}' } };
    expect(JSON.parse(staticInventory({ _meta: { hostvars } })).all.hosts.a).to.deep.equal({
      x: 'a\ufffdb',
      y: '\\ud800',
      z: '\\\ufffd',
      pair: '\u{1f600}',
    });
    const file = extraVarsFile({
      merged: { 'k\ud800': 'v\udfff' },
      template: {},
      injected: {},
      allowJinja: 'always',
    });
    expect(parse(file)).to.deep.equal({ 'k\ufffd': 'v\ufffd' });
  });

  it('copes with names that mean something to JavaScript', () => {
    const document = JSON.parse(
      '{"__proto__": {"hosts": ["constructor"]}, "_meta": {"hostvars": {"__proto__": {"v": 1}, "constructor": {}}}}',
    );
    expect(staticInventory(document))
      .to.contain('"__proto__":{"v":1}')
      .and.contain('"__proto__":{"hosts":{"constructor":null}}');
  });
});
