import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const tools = join(root, '.tools', 'awx', 'bin');
const hostVariables = JSON.stringify({
  ansible_connection: 'local',
  ansible_python_interpreter: '{{ ansible_playbook_python }}',
});

const playbook = (task: string) => `- hosts: all\n  gather_facts: false\n  tasks:\n    - ${task}\n`;

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

describeWith(['awx'], 'The awx command line client', function () {
  let service: TestService;
  let home: string;

  before(async () => {
    service = await startService();
    home = mkdtempSync(join(tmpdir(), 'tapline-awx-'));
    // one for each project: no two may share a folder
    for (const name of ['playbooks', 'library']) {
      const folder = join(service.dataDir, 'projects', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        join(folder, 'hello.yml'),
        playbook(`debug:\n        msg: "hello from {{ who | default('nobody') }}"`),
      );
      writeFileSync(join(folder, 'broken.yml'), playbook('fail:\n        msg: broken on purpose'));
    }
  });
  after(async () => {
    await service?.stop();
    removeFolder(home);
  });

  const run = (program: string, args: string[], env: Record<string, string>, stdin?: string): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile(
        join(tools, program),
        args,
        {
          env: {
            PATH: process.env.PATH,
            HOME: home,
            // it warns of what its own start-up imports
            PYTHONWARNINGS: 'ignore',
            CONTROLLER_HOST: service.url,
            CONTROLLER_COLOR: 'f',
            ...env,
          },
          timeout: 300_000,
        },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? (error ? 1 : 0)), stdout, stderr }),
      );
      child.stdin?.end(stdin);
    });

  const asAdmin = { CONTROLLER_USERNAME: 'admin', CONTROLLER_PASSWORD: adminPassword };

  /** Its output; throws where it ends with an error. */
  async function awx(args: string[], env: Record<string, string> = asAdmin, stdin?: string): Promise<string> {
    const { code, stdout, stderr } = await run('awx', args, env, stdin);
    if (code !== 0) throw new Error(`awx ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
    return stdout;
  }
  const json = async (args: string[], env?: Record<string, string>) => JSON.parse(await awx(args, env));

  it('tells where it is and who asks, with a password and with the token that login gives', async () => {
    expect(await json(['ping'])).to.have.property('version');
    const { token } = await json(['login']);
    expect(token).to.match(/^svc_/);
    const bearer = { CONTROLLER_OAUTH_TOKEN: token };
    expect((await json(['me'], bearer)).results[0].username).to.equal('admin');
    expect(await json(['config'], bearer)).to.include({ base_url: service.url, token });
    const wrong = await run('awx', ['me'], { CONTROLLER_USERNAME: 'admin', CONTROLLER_PASSWORD: 'wrong' });
    expect(wrong.code).to.not.equal(0);
  });

  it('makes, lists, shows, changes and deletes records, named instead of numbered', async () => {
    const made = await json(['organizations', 'create', '--name', 'Line', '--description', 'first']);
    expect(made).to.include({ type: 'organization', name: 'Line' });
    expect((await json(['organizations', 'modify', 'Line', '--description', 'second'])).description).to.equal('second');
    expect(await awx(['organizations', 'get', 'Line', '-f', 'human'])).to.match(
      /^id\s+name\s*\n=+\s+=+\s*\n\d+\s+Line/,
    );
    expect((await json(['organizations', 'list', '--name', 'Line'])).count).to.equal(1);
    await json([
      'projects',
      'create',
      '--name',
      'Playbooks',
      '--organization',
      'Line',
      '--scm_type',
      '',
      '--local_path',
      'playbooks',
    ]);
    await json(['inventory', 'create', '--name', 'Here', '--organization', 'Line']);
    await json(['hosts', 'create', '--name', 'localhost', '--inventory', 'Here', '--variables', hostVariables]);
    const template = ['--project', 'Playbooks', '--inventory', 'Here', '--playbook'];
    await json([
      'job_templates',
      'create',
      '--name',
      'Hello',
      ...template,
      'hello.yml',
      '--ask_variables_on_launch',
      't',
    ]);
    await json(['job_templates', 'create', '--name', 'Broken', ...template, 'broken.yml']);
    await awx(['job_templates', 'create', '--name', 'Short-lived', ...template, 'hello.yml']);
    await awx(['job_templates', 'delete', 'Short-lived']);
    expect((await json(['job_templates', 'list', '--name', 'Short-lived'])).count).to.equal(0);
    const refused = await run(
      'awx',
      ['job_templates', 'create', '--name', 'Hello', ...template, 'nosuch.yml'],
      asAdmin,
    );
    expect(refused.code).to.equal(1);
    expect(refused.stdout + refused.stderr).to.contain('playbook');
  });

  it('grants and revokes roles', async () => {
    const ann = { CONTROLLER_USERNAME: 'ann', CONTROLLER_PASSWORD: 'Ann-has-1-secret' };
    await json(['users', 'create', '--username', 'ann', '--password', ann.CONTROLLER_PASSWORD]);
    await json(['teams', 'create', '--name', 'Callers', '--organization', 'Line']);
    expect((await json(['job_templates', 'list'], ann)).count).to.equal(0);
    await awx(['users', 'grant', 'ann', '--role', 'execute', '--job_template', 'Hello']);
    await awx(['teams', 'grant', 'Callers', '--role', 'use', '--inventory', 'Here']);
    const seen = await json(['job_templates', 'list'], ann);
    expect(seen.results.map(({ name }: { name: string }) => name)).to.deep.equal(['Hello']);
    const launched = await run('awx', ['job_templates', 'launch', 'Hello', '--monitor'], ann);
    expect(launched.stdout).to.contain('hello from nobody');
    await awx(['users', 'revoke', 'ann', '--role', 'execute', '--job_template', 'Hello']);
    expect((await json(['job_templates', 'list'], ann)).count).to.equal(0);
  });

  it('launches and follows a job: its output, and its end as the exit status', async () => {
    const plain = await run(
      'awx',
      ['job_templates', 'launch', 'Hello', '--monitor', '--extra_vars', '{"who": "the command line"}'],
      asAdmin,
    );
    expect(plain.code, plain.stderr).to.equal(0);
    expect(plain.stdout).to.contain('hello from the command line').and.to.contain('PLAY RECAP');
    const failed = await run('awx', ['job_templates', 'launch', 'Broken', '--monitor'], asAdmin);
    expect(failed.code).to.equal(1);
    expect(failed.stdout).to.contain('broken on purpose');
    const jobs = (await json(['jobs', 'list', '--order_by=-id'])).results;
    expect(jobs[0]).to.include({ name: 'Broken', status: 'failed' });
    expect(await awx(['jobs', 'stdout', String(jobs[1].id)])).to.contain('hello from the command line');
  });

  it('lists and changes settings', async () => {
    expect(await json(['settings', 'list', '--slug', 'jobs'])).to.have.property('AWX_ISOLATION_BASE_PATH', '/tmp');
    const changed = await json(['settings', 'modify', 'DEFAULT_JOB_TIMEOUT', '600']);
    expect(changed).to.deep.equal({ key: 'DEFAULT_JOB_TIMEOUT', value: 600 });
    expect((await json(['settings', 'list', '--slug', 'jobs'])).DEFAULT_JOB_TIMEOUT).to.equal(600);
  });

  it('exports everything and makes anew what is missing', async () => {
    const text = await awx(['export']);
    const assets = JSON.parse(text);
    expect(assets.job_templates.map(({ name }: { name: string }) => name)).to.include.members(['Hello', 'Broken']);
    for (const [kind, name] of [
      ['job_templates', 'Hello'],
      ['inventory', 'Here'],
      ['teams', 'Callers'],
    ])
      await awx([kind!, 'delete', name!]);
    await awx(['import'], asAdmin, text);
    const again = JSON.parse(await awx(['export']));
    // the demo's own records were never written by a client, which trims their texts
    const own = (all: any[]) => all.filter(({ name }) => !name.startsWith('Demo'));
    for (const kind of ['organizations', 'teams', 'inventory', 'projects', 'job_templates'])
      expect(own(again[kind]), kind).to.deep.equal(own(assets[kind]));
  });

  it('says of an imported user who is new that a password is needed, and takes it from the file', async () => {
    await awx(['users', 'create', '--username', 'ursula', '--password', 'first one 1']);
    const assets = JSON.parse(await awx(['export', '--users', 'ursula']));
    expect(assets.users[0]).to.include({ username: 'ursula', password: '$encrypted$' });
    const asUrsula = (word: string) => service.get('me/', { auth: `ursula:${word}` });

    assets.users[0].first_name = 'Ursula';
    await awx(['import'], asAdmin, JSON.stringify(assets));
    expect((await asUrsula('first one 1')).body.results[0].first_name, 'keeps the password that there is').to.equal(
      'Ursula',
    );

    await awx(['users', 'delete', 'ursula']);
    const refused = await run('awx', ['import'], asAdmin, JSON.stringify(assets));
    expect(refused.code).to.not.equal(0);
    expect(refused.stderr).to.include('ursula').and.to.include('exports hold none');
    expect((await service.get('users/?username=ursula')).body.count).to.equal(0);

    assets.users[0].password = 'second one 2';
    await awx(['import'], asAdmin, JSON.stringify(assets));
    expect((await asUrsula('second one 2')).body.results[0].first_name).to.equal('Ursula');
    await awx(['users', 'delete', 'ursula']);
  });

  it('does everything with its Python library, over a session', async () => {
    const { code, stdout, stderr } = await run('python', [join(import.meta.dirname, 'resources.py')], {
      ...asAdmin,
      HOST_VARIABLES: hostVariables,
    });
    expect(code, stdout + stderr).to.equal(0);
    expect(JSON.parse(stdout).done).to.deep.equal([
      'organization',
      'user',
      'team',
      'inventory',
      'host',
      'group',
      'credential',
      'project',
      'job_template',
      'links',
      'roles',
      'refusals',
      'job',
      'deleted',
    ]);
  });
});
