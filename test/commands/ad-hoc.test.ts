import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

/** With the real engine. */
describe('ad hoc commands', function () {
  let stage: Stage;
  let group: number;
  /** what the tap of this service says now */
  let judge: (launch: any) => unknown = () => undefined;

  before(async () => {
    stage = await startStage();
    stage.services.hooks.beforeStart(
      { name: 'test', stage: 200, failMode: 'deny' },
      async (launch) => judge(launch) as never,
    );
    group = (await stage.post('groups/', { name: 'web', inventory: stage.inventory })).body.id;
    await stage.post(`groups/${group}/hosts/`, { id: (await host('good')).id });
    for (const username of ['runner', 'reader', 'stranger']) await person(username);
  });
  after(() => stage.stop());
  afterEach(() => {
    judge = () => undefined;
  });

  const as = (username: string) => ({ auth: `${username}:${username}-password-1` });
  const host = async (name: string) =>
    (await stage.get(`hosts/?name=${name}&inventory=${stage.inventory}`)).body.results[0];
  const run = async (body: object, path = 'ad_hoc_commands/', options = {}) =>
    stage.post(path, { inventory: stage.inventory, ...body }, options);
  const started = async (body: object, path?: string): Promise<number> => {
    const answer = await run(body, path);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id;
  };
  const command = async (id: number) => (await stage.get(`ad_hoc_commands/${id}/`)).body;
  const reached = (id: number, test: (body: any) => boolean) =>
    until(async () => {
      const body = await command(id);
      return test(body) ? body : undefined;
    }, 60_000);
  const ended = (id: number) => reached(id, ({ finished }) => finished !== null);
  /** Where it matters only that it was launched. */
  const drop = (id: number) => stage.post(`ad_hoc_commands/${id}/cancel/`);
  const output = async (id: number) => (await stage.get(`ad_hoc_commands/${id}/stdout/?format=txt`)).body as string;

  async function person(username: string): Promise<void> {
    const { id } = (await stage.post('users/', { username, password: `${username}-password-1` })).body;
    const role = { runner: 'adhoc_role', reader: 'read_role' }[username];
    if (!role) return;
    const { object_roles: roles } = (await stage.get(`inventories/${stage.inventory}/`)).body.summary_fields;
    await stage.post(`users/${id}/roles/`, { id: roles[role].id });
  }

  it('run a module on the hosts of an inventory, and keep what came of it on each', async () => {
    const answer = await run({ module_name: 'command', module_args: 'echo said {{', limit: 'all' });
    expect(answer.body.module_args[0]).to.match(/Jinja/);
    const joined = await run({ module_name: 'shell', module_args: '\\ echo "{\n{ 6 * 7 }}"' });
    expect([joined.status, Object.keys(joined.body)]).to.deep.equal([400, ['module_args']]);
    const escaped = await run({
      module_name: 'shell',
      module_args: String.raw`chdir=\x7b\x7b x }} id`,
      limit: '{{ x }}',
    });
    expect([escaped.status, Object.keys(escaped.body)]).to.have.deep.members([400, ['module_args', 'limit']]);
    const { body, status, headers } = await run({ module_name: 'shell', module_args: 'echo said; exit 0' });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(headers.get('location')).to.equal(`/api/v2/ad_hoc_commands/${body.id}/`);
    expect(body).to.include({ type: 'ad_hoc_command', name: 'shell', status: 'new', launch_type: 'manual', limit: '' });
    expect(body).not.to.have.any.keys('description', 'unified_job_template', 'job_args');
    const done = await ended(body.id);
    expect(done.status, done.job_explanation + (await output(body.id))).to.equal('successful');
    expect(done.host_status_counts).to.deep.equal({ changed: 2 });
    expect(JSON.parse(done.job_args)).to.include.members(['--module-name=shell', '--args=echo said; exit 0', 'all']);
    expect(done.summary_fields.inventory).to.include({ id: stage.inventory, total_hosts: 2 });
    expect(await output(body.id)).to.match(/good \| CHANGED \| rc=0 >>\nsaid/);
  });

  it('tell of results only, newest first, below themselves, their hosts and groups', async () => {
    const id = await started({ module_name: 'ping', limit: 'good' });
    await ended(id);
    const { results } = (await stage.get(`ad_hoc_commands/${id}/events/`)).body;
    expect(results.map(({ event }: any) => event)).to.deep.equal(['playbook_on_stats', 'runner_on_ok']);
    const [, result] = results;
    expect(result).to.include({ type: 'ad_hoc_command_event', ad_hoc_command: id, host_name: 'good', failed: false });
    expect(result).not.to.have.any.keys('play', 'task', 'role', 'playbook', 'parent_uuid', 'event_level');
    expect(result.event_data.res.ping).to.equal('pong');
    expect((await stage.get(result.url)).body.summary_fields.ad_hoc_command).to.include({ id, name: 'ping' });
    const good = await host('good');
    const listed = async (path: string) => (await stage.get(path)).body.results.map((one: any) => one.id);
    expect(await listed(`hosts/${good.id}/ad_hoc_commands/`)).to.include(id);
    expect(await listed(`groups/${group}/ad_hoc_commands/`)).to.include(id);
    expect(await listed(`inventories/${stage.inventory}/ad_hoc_commands/`)).to.include(id);
    expect(await listed(`hosts/${(await host('bad')).id}/ad_hoc_commands/`)).not.to.include(id);
    expect(await listed(`hosts/${good.id}/ad_hoc_command_events/`)).to.include(result.id);
    expect(await listed(`hosts/${good.id}/job_events/`)).to.deep.equal([]);
    expect((await stage.get(`job_events/${result.id}/`)).status).to.equal(404);
    expect((await stage.get(`unified_jobs/?id=${id}`)).body.results[0].type).to.equal('ad_hoc_command');
    expect((await stage.get(`ad_hoc_commands/${id}/activity_stream/`)).body.count).to.equal(1);
  });

  it('run below a host or a group on just that one', async () => {
    const { POST } = (await stage.request('OPTIONS', `groups/${group}/ad_hoc_commands/`)).body.actions;
    expect(POST).to.include.keys('module_name', 'module_args').and.not.include.keys('inventory', 'limit');
    const ofHost = await run({ module_name: 'ping', limit: 'all' }, `hosts/${(await host('bad')).id}/ad_hoc_commands/`);
    expect(ofHost.body).to.include({ limit: 'bad', inventory: stage.inventory });
    const ofGroup = await run({ module_name: 'ping' }, `groups/${group}/ad_hoc_commands/`);
    expect(ofGroup.body).to.include({ limit: 'web', inventory: stage.inventory });
    expect((await ended(ofHost.body.id)).host_status_counts).to.deep.equal({ ok: 1 });
    expect((await ended(ofGroup.body.id)).host_status_counts).to.deep.equal({ ok: 1 });
  });

  it('take their variables and options along, and end as failed where a host fails', async () => {
    const id = await started({
      module_name: 'shell',
      module_args: 'test "$JOB_ID" = 0',
      extra_vars: 'colour: "{{ red }}"',
      verbosity: 1,
      forks: 2,
      become_enabled: false,
      diff_mode: true,
      job_type: 'run',
    });
    const done = await ended(id);
    expect(done).to.include({
      status: 'failed',
      failed: true,
      extra_vars: 'colour: "{{ red }}"',
      forks: 2,
      verbosity: 1,
    });
    expect(JSON.parse(done.job_args)).to.include.members(['--diff', '--forks=2', '-v']);
    expect(done.host_status_counts).to.deep.equal({ failures: 2 });
    const none = await ended(await started({ module_name: 'ping', limit: 'nowhere' }));
    expect(none).to.include({ status: 'successful' });
    expect(await output(none.id)).to.match(/No hosts matched/);
  });

  it('are refused with what is wrong, all of it at once', async () => {
    const bad = async (body: object, ...fields: string[]) => {
      const answer = await stage.post('ad_hoc_commands/', body);
      expect([answer.status, Object.keys(answer.body).toSorted()], JSON.stringify(answer.body)).to.deep.equal([
        400,
        fields,
      ]);
    };
    const { inventory } = stage;
    await bad({}, 'inventory', 'module_args');
    await bad({ inventory, module_name: 'shell', module_args: '  ' }, 'module_args');
    await bad({ inventory: 999_999, module_name: 'ping' }, 'inventory');
    await bad({ inventory, module_name: 'lineinfile' }, 'module_name');
    await bad({ inventory, module_name: 'ping', extra_vars: 'ansible_user: root' }, 'extra_vars');
    await bad({ inventory, module_name: 'ping', extra_vars: { awx_job_id: 1 } }, 'extra_vars');
    await bad({ inventory, module_name: 'ping', extra_vars: '{"awx_user_name": "me"}' }, 'extra_vars');
    await bad({ inventory, module_name: 'ping', limit: '@/etc/passwd' }, 'limit');
    await bad({ inventory, module_name: 'ping', forks: 201 }, 'forks');
    await bad({ inventory, module_name: 'ping', forks: 'many', verbosity: 9 }, 'forks', 'verbosity');
    const vault = await stage.credential({ credential_type: stage.vaultType, inputs: { vault_password: 'x' } });
    await bad({ inventory, module_name: 'ping', credential: vault }, 'credential');
  });

  it('run the modules that the setting allows now', async () => {
    const choices = async () =>
      (await stage.request('OPTIONS', 'ad_hoc_commands/')).body.actions.POST.module_name.choices.map(
        ([name]: any) => name,
      );
    expect(await choices()).to.include.members(['command', 'win_ping']);
    await stage.request('PATCH', 'settings/jobs/', { body: { AD_HOC_COMMANDS: ['ping', 'debug'] } });
    expect(await choices()).to.deep.equal(['ping', 'debug']);
    expect((await run({ module_name: 'shell', module_args: 'id' })).body).to.deep.equal({
      module_name: ['"shell" is not a valid choice.'],
    });
    await stage.request('DELETE', 'settings/jobs/');
    expect(await choices()).to.include('shell');
  });

  it('evaluate no expression for who asks, whatever the arguments of debug and assert look like', async () => {
    const allow = (body: object) => stage.request('PATCH', 'settings/jobs/', { body });
    await allow({ AD_HOC_COMMANDS: ['debug', 'ansible.builtin.debug', 'assert', 'ansible._protomatter.debug'] });
    const six = "lookup('pipe', 'expr 7 - 1')";
    for (const [module_name, module_args] of [
      ['debug', `var=${six.replaceAll(' ', '')}`],
      ['debug', `var="${six}"`],
      ['debug', JSON.stringify({ var: six })],
      ['debug', String.raw`v\x61r="${six}"`],
      ['debug', `args='var="7 - 1"'`],
      ['debug', 'verbosity=0 var=hostvars|length'],
      ['debug', `msg="a" b" var=7-1`],
      ['ansible.builtin.debug', 'var=7-1'],
      // the engine ends an argument at a space or a line, and at nothing else
      ...['\t', '\r', '\v', '\u00a0'].map((gap) => ['debug', `var=not${gap}msg==lookup(a,b)`] as const),
      ['assert', 'that="7 > 1"'],
      ['ansible._protomatter.debug', 'expression=7-1'],
    ] as const) {
      const { status, body } = await run({ module_name, module_args });
      expect([status, body.module_args?.[0]], module_args).to.deep.include(400);
      expect(body.module_args[0]).to.include('evaluates');
    }
    const said = async (module_args: string) => {
      const id = await started({ module_name: 'debug', module_args, limit: 'good' });
      await ended(id);
      return output(id);
    };
    expect(await said(`var=hostvars['good'].inventory_hostname verbosity=0`)).to.match(/inventory_hostname": "good"/);
    expect(await said('msg="that is said"')).to.include('that is said');
    // what it is refused for: the engine does evaluate it
    await allow({ ALLOW_JINJA_IN_EXTRA_VARS: 'always' });
    expect(await said(`var="${six}"`)).to.match(/": "6"/);
    await stage.request('DELETE', 'settings/jobs/');
  });

  it('ask for the passwords of their credential, and again when they are run again', async () => {
    const credential = await stage.credential({
      credential_type: stage.machineType,
      inputs: { username: 'me', password: 'ASK' },
    });
    const refused = await run({ module_name: 'ping', credential });
    expect([refused.status, refused.body]).to.deep.equal([400, { passwords_needed_to_start: ['ssh_password'] }]);
    const id = await started({ module_name: 'ping', credential, ssh_password: 'never to be seen' });
    const done = await ended(id);
    expect(JSON.stringify(done)).not.to.contain('never to be seen');
    expect(done.summary_fields.credential).to.include({ id: credential, kind: 'ssh' });
    expect(JSON.parse(done.job_args)).to.include('--user=me');
    expect((await stage.get(`ad_hoc_commands/${id}/relaunch/`)).body).to.deep.equal({
      passwords_needed_to_start: ['ssh_password'],
    });
    expect((await stage.post(`ad_hoc_commands/${id}/relaunch/`)).status).to.equal(400);
    const again = await stage.post(`ad_hoc_commands/${id}/relaunch/`, { ssh_password: 'never to be seen' });
    expect(again.status, JSON.stringify(again.body)).to.equal(201);
    expect(again.body).to.include({ module_name: 'ping', credential, launch_type: 'manual' });
    expect(again.body.ad_hoc_command).to.equal(again.body.id).and.not.equal(id);
    await drop(again.body.id);
  });

  it('go through the hooks of a launch', async () => {
    let seen: any;
    judge = (launch) => {
      seen = launch;
      return { status: 403, body: { detail: 'Not today.' } };
    };
    const before = (await stage.get('ad_hoc_commands/')).body.count;
    const denied = await run({ module_name: 'shell', module_args: 'id' });
    expect([denied.status, denied.body]).to.deep.equal([403, { detail: 'Not today.' }]);
    expect(seen.run).to.deep.include({ kind: 'ad_hoc_command', data: { module_name: 'shell', module_args: 'id' } });
    expect(seen.uses.inventory).to.deep.equal({ id: stage.inventory, name: 'stage' });
    expect(seen.uses.organization.name).to.be.a('string');
    expect((await stage.get('ad_hoc_commands/')).body.count).to.equal(before);
    judge = (launch) => void launch.explain('Mind the gap.');
    const id = await started({ module_name: 'ping' });
    expect((await command(id)).job_explanation).to.equal('Mind the gap.');
    await drop(id);
  });

  it('run one at a time on an inventory, and can be cancelled before and while they run', async () => {
    // what went before may be on its way out
    await until(async () => {
      const { body } = await stage.get('ad_hoc_commands/?status__in=pending,waiting,running');
      return body.count === 0;
    });
    const first = await started({ module_name: 'command', module_args: 'sleep 600' });
    const second = await started({ module_name: 'command', module_args: 'sleep 600' });
    const third = await started({ module_name: 'command', module_args: 'sleep 600' });
    await reached(first, ({ status }) => status === 'running');
    const waiting = await reached(second, ({ pending_reasons: [why] }) => why?.explanation !== undefined);
    expect(waiting.pending_reasons[0].explanation).to.equal(`waiting for ad_hoc_command-${first} to finish`);
    expect((await stage.request('DELETE', `ad_hoc_commands/${first}/`)).status).to.equal(403);
    await reached(third, ({ pending_reasons: [why] }) => why?.explanation !== undefined);
    for (const id of [first, third, second]) {
      // of those in line each is told of the one whose turn it is
      if (id === third) {
        await reached(second, ({ status }) => status === 'running');
        const [why] = (await command(third)).pending_reasons;
        expect(why).to.include({ code: 'concurrency', explanation: `waiting for ad_hoc_command-${second} to finish` });
        expect(why.text).to.include(`is running (ad_hoc_command ${second})`);
      }
      expect((await stage.get(`ad_hoc_commands/${id}/cancel/`)).body).to.include({ can_cancel: true });
      expect((await stage.post(`ad_hoc_commands/${id}/cancel/`)).status).to.equal(202);
      expect(await ended(id)).to.include({ status: 'canceled', failed: true });
    }
    expect((await stage.post(`ad_hoc_commands/${first}/cancel/`)).status).to.equal(405);
    expect((await stage.request('DELETE', `ad_hoc_commands/${first}/`)).status).to.equal(204);
  });

  it('are run by who has the ad hoc role on the inventory and may use the credential', async () => {
    const body = { module_name: 'ping' };
    expect((await run(body, undefined, as('stranger'))).status).to.equal(403);
    expect((await run(body, undefined, as('reader'))).status).to.equal(403);
    expect((await run(body, `inventories/${stage.inventory}/ad_hoc_commands/`, as('stranger'))).status).to.equal(404);
    const credential = await stage.credential({ credential_type: stage.machineType, inputs: { username: 'me' } });
    expect((await run({ ...body, credential }, undefined, as('runner'))).status).to.equal(403);
    const own = (await run(body, undefined, as('runner'))).body.id;
    await drop(own);
    const other = await started({ ...body, credential });
    await drop(other);
    expect(
      (await stage.get(`ad_hoc_commands/${other}/`, as('reader'))).body.summary_fields.user_capabilities,
    ).to.deep.equal({ start: false, delete: false });
    expect((await stage.get(`ad_hoc_commands/${other}/`, as('stranger'))).status).to.equal(404);
    expect((await stage.post(`ad_hoc_commands/${other}/relaunch/`, {}, as('runner'))).status).to.equal(403);
    const organization = (await stage.post('organizations/', { name: 'of the environment' })).body.id;
    const hidden = { name: 'theirs', image: 'quay.io/x/y', organization };
    const environment = (await stage.post('execution_environments/', hidden)).body.id;
    const within = await started({ ...body, execution_environment: environment });
    await drop(within);
    const refused = await stage.post(`ad_hoc_commands/${within}/relaunch/`, {}, as('runner'));
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, ['execution_environment']]);
    const again = await stage.post(`ad_hoc_commands/${own}/relaunch/`, {}, as('runner'));
    expect(again.status).to.equal(201);
    expect((await stage.post(`ad_hoc_commands/${again.body.id}/cancel/`, {}, as('reader'))).status).to.equal(403);
    await drop(again.body.id);
  });

  it('start once under an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await run({ module_name: 'ping' }, undefined, { headers });
    const second = await run({ module_name: 'ping' }, undefined, { headers });
    expect([first.status, second.status, second.body.id]).to.deep.equal([201, 201, first.body.id]);
    expect(second.headers.get('idempotency-replayed')).to.equal('true');
    await drop(first.body.id);
  });
});
