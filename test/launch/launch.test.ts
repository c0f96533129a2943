import { expect } from 'chai';
import { type Stage, startStage } from './fixture.ts';

describe('launching a job template', function () {
  let stage: Stage;
  before(async () => (stage = await startStage()));
  after(() => stage.stop());

  const refused = async (template: number, body: object) => {
    const answer = await stage.post(`job_templates/${template}/launch/`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
    return answer.body;
  };

  it('runs the playbook and leaves its result on the job and on the template', async () => {
    const template = await stage.template();
    const job = await stage.launch(template);
    expect(job).to.include({
      type: 'job',
      status: 'pending',
      launch_type: 'manual',
      job_template: template,
      unified_job_template: template,
    });
    expect(job.ignored_fields).to.deep.equal({});
    expect(job).not.to.have.any.keys('host_status_counts', 'playbook_counts');
    const ended = await stage.ended(job.job);
    expect(ended.status, ended.job_explanation).to.equal('successful');
    expect(ended).to.include({ failed: false, event_processing_finished: true });
    expect(ended.host_status_counts).to.deep.equal({ ok: 2 });
    expect(ended.playbook_counts).to.deep.equal({ play_count: 1, task_count: 1 });
    expect(JSON.parse(ended.job_args)).to.include('quick.yml');
    const { body } = await stage.get(`job_templates/${template}/`);
    expect(body).to.include({ status: 'successful', last_job_failed: false, last_job_run: ended.finished });
    expect(body.related.last_job).to.equal(`/api/v2/jobs/${job.job}/`);
    expect(body.summary_fields.recent_jobs[0]).to.include({ id: job.job, status: 'successful', type: 'job' });
    expect((await stage.get(`job_templates/${template}/jobs/?id=${job.job}`)).body.count).to.equal(1);
  });

  it('says why a job ends well without having done anything: no task of the name to start at', async () => {
    const ended = await stage.ended((await stage.launch(await stage.template({ start_at_task: 'nowhere' }))).id);
    expect(ended.status).to.equal('successful');
    expect(ended.job_explanation).to.match(/^Nothing was run: no task matches start_at_task "nowhere"/);
  });

  it('refuses prompts that the template does not ask for without an error, and takes the others', async () => {
    const template = await stage.template({ ask_limit_on_launch: true, extra_vars: 'who: you\n' });
    const job = await stage.launch(template, {
      limit: 'good',
      job_tags: 'x',
      verbosity: 3,
      extra_vars: { who: 'you', more: 1 },
      nonsense: true,
    });
    expect(job.ignored_fields).to.deep.equal({ job_tags: 'x', verbosity: 3, extra_vars: { more: 1 } });
    expect(job).to.include({ limit: 'good', job_tags: '', verbosity: 0 });
    expect((await stage.ended(job.id)).host_status_counts).to.deep.equal({ ok: 1 });
  });

  it('lets an empty limit override, and a prompt equal to the template be none', async () => {
    const template = await stage.template({ ask_limit_on_launch: true, limit: 'good' });
    expect((await stage.launch(template, { limit: '' })).limit).to.equal('');
    const job = await stage.launch(template, { limit: 'good' });
    const { prompts } = await stage.services.db('runs').where({ id: job.id }).first('prompts');
    expect(prompts).to.deep.equal({});
  });

  it('judges the limit and tags of a template where somebody changes them', async () => {
    const id = await stage.template();
    const old = { limit: '@hosts', job_tags: '{{ x }}', skip_tags: '{% x %}' };
    await stage.services.db('templates').where({ id }).update(old);
    const change = (body: object) => stage.request('PATCH', `job_templates/${id}/`, { body });
    const described = await change({ description: 'still saved', limit: old.limit });
    expect([described.status, described.body.description]).to.deep.equal([200, 'still saved']);
    const refused = await change({ limit: '@other', job_tags: '{{ y }}', skip_tags: '{% y %}' });
    expect([refused.status, Object.keys(refused.body)]).to.deep.equal([400, Object.keys(old)]);
    expect((await change({ limit: '', job_tags: '', skip_tags: '' })).status).to.equal(200);
  });

  it('merges extra variables key by key, given as object, JSON or YAML', async () => {
    const template = await stage.template({
      ask_variables_on_launch: true,
      extra_vars: '{"who": "template", "kept": [1]}',
    });
    for (const given of [{ who: 'launch' }, '{"who": "launch"}', 'who: launch']) {
      expect(JSON.parse((await stage.launch(template, { extra_vars: given })).extra_vars)).to.deep.equal({
        who: 'launch',
        kept: [1],
      });
    }
    for (const bad of [['x'], 'a: [', 5, '[1]'])
      expect(await refused(template, { extra_vars: bad })).to.have.property('extra_vars');
  });

  it('collects type errors by field', async () => {
    const template = await stage.template({ ask_limit_on_launch: true });
    const errors = await refused(template, {
      limit: null,
      verbosity: 9,
      job_type: 'scan',
      diff_mode: 'maybe',
      forks: -1,
      timeout: 'x',
      inventory: 'abc',
      credentials: 5,
      labels: [999_999],
      execution_environment: 12,
      instance_groups: [4],
    });
    expect(errors).to.have.all.keys(
      'limit',
      'verbosity',
      'job_type',
      'diff_mode',
      'forks',
      'timeout',
      'inventory',
      'credentials',
      'labels',
      'execution_environment',
      'instance_groups',
    );
    expect(errors.labels[0]).to.equal('Invalid pk "999999" - object does not exist.');
    expect((await refused(template, { inventory: 999_999 })).inventory[0]).to.equal(
      'Invalid pk "999999" - object does not exist.',
    );
    expect(await refused(template, { limit: 'a\0b' })).to.have.property('limit');
    expect(await refused(template, { forks: 100_000 })).to.have.property('forks');
  });

  it('takes the instance groups that whoever launches may use, in their order, and keeps them for a relaunch', async () => {
    const { db } = stage.services;
    const template = await stage.template({ ask_instance_groups_on_launch: true });
    const [{ id: preferred }] = await db('instance_groups').insert({ name: 'preferred' }).returning('id');
    const { id: fallback } = await db('instance_groups').where({ name: 'default' }).first('id');
    const job = await stage.launch(template, { instance_groups: [preferred, fallback] });
    const promptsOf = async (id: number) => (await db('runs').where({ id }).first('prompts')).prompts;
    expect(await promptsOf(job.id)).to.deep.equal({ instance_groups: [preferred, fallback] });
    await stage.ended(job.id);
    const again = (await stage.post(`jobs/${job.id}/relaunch/`)).body;
    expect((await promptsOf(again.id)).instance_groups).to.deep.equal([preferred, fallback]);
    await stage.ended(again.id);

    const user = (await stage.post('users/', { username: 'grouper', password: 'grouper' })).body.id;
    const give = async (path: string, role: string) => {
      const { object_roles: roles } = (await stage.get(path)).body.summary_fields;
      await stage.post(`roles/${roles[role].id}/users/`, { id: user });
    };
    await give(`job_templates/${template}/`, 'execute_role');
    const launch = () =>
      stage.post(`job_templates/${template}/launch/`, { instance_groups: [preferred] }, { auth: 'grouper:grouper' });
    expect((await launch()).body.instance_groups[0]).to.equal(`Invalid pk "${preferred}" - object does not exist.`);
    await give(`instance_groups/${preferred}/`, 'read_role');
    expect((await launch()).status).to.equal(403);
    await give(`instance_groups/${preferred}/`, 'use_role');
    expect((await launch()).status).to.equal(201);
  });

  it('takes inventory under both names, and says when it is missing', async () => {
    const template = await stage.template({ inventory: null, ask_inventory_on_launch: true });
    expect(await refused(template, {})).to.have.property('resources_needed_to_start');
    const job = await stage.launch(template, { inventory_id: stage.inventory });
    expect(job.inventory).to.equal(stage.inventory);
    const { body } = await stage.get(`job_templates/${template}/launch/`);
    expect(body).to.include({ inventory_needed_to_start: true, can_start_without_user_input: false });
  });

  it('asks for passwords, takes them at both places and forgets them', async () => {
    const credential = await stage.credential({
      credential_type: stage.machineType,
      inputs: { username: 'u', password: 'ASK', become_password: 'ASK' },
    });
    const template = await stage.template();
    expect((await stage.post(`job_templates/${template}/credentials/`, { id: credential })).status).to.equal(204);
    const { body: info } = await stage.get(`job_templates/${template}/launch/`);
    expect(info.passwords_needed_to_start).to.have.members(['ssh_password', 'become_password']);
    expect((await refused(template, { ssh_password: 'x' })).passwords_needed_to_start).to.deep.equal([
      'become_password',
    ]);
    for (const body of [
      { ssh_password: 'canary-1', become_password: 'canary-2' },
      { credential_passwords: { ssh_password: 'canary-1', become_password: 'canary-2' } },
    ]) {
      const job = await stage.launch(template, body);
      const ended = await stage.ended(job.id);
      expect(ended.status, ended.job_explanation).to.equal('successful');
      expect(JSON.stringify([job, ended])).not.to.contain('canary');
    }
    expect(await stage.services.db('run_secrets').select()).to.deep.equal([]);
  });

  it('replaces credentials per type and refuses two of one type or a lost one', async () => {
    const machine = () => stage.credential({ credential_type: stage.machineType, inputs: {} });
    const [own, other] = [await machine(), await machine()];
    const vault = await stage.credential({
      credential_type: stage.vaultType,
      inputs: { vault_password: 'x', vault_id: 'a' },
    });
    const template = await stage.template({ ask_credential_on_launch: true });
    await stage.post(`job_templates/${template}/credentials/`, { id: own });
    const second = await stage.post(`job_templates/${template}/credentials/`, { id: other });
    expect([second.status, Object.keys(second.body)]).to.deep.equal([400, ['error']]);
    expect((await refused(template, { credentials: [own, other] })).credentials).to.have.length(1);
    expect((await refused(template, { credentials: [vault] })).credentials).to.have.length(1);
    expect((await refused(template, { credentials: [999_999] })).credentials).to.deep.equal([
      'Invalid pk "999999" - object does not exist.',
    ]);
    const job = await stage.launch(template, { credentials: [other, vault] });
    expect(job.summary_fields.credentials.map((c: any) => c.id)).to.have.members([other, vault]);
    const fixed = await stage.template();
    await stage.post(`job_templates/${fixed}/credentials/`, { id: own });
    expect((await stage.launch(fixed, { credentials: [own, vault] })).ignored_fields).to.deep.equal({
      credentials: [vault],
    });
  });

  it('passes strange variables on unharmed and refuses bottomless ones', async () => {
    const template = await stage.template({ ask_variables_on_launch: true });
    const vars = '{"__proto__": {"polluted": 1}, "nul": "a\\u0000b", "lone": "\\ud800", "who": "deep"}';
    const job = await stage.launch(template, { extra_vars: vars });
    expect(JSON.parse(job.extra_vars)).to.deep.equal(JSON.parse(vars));
    expect(({} as any).polluted).to.equal(undefined);
    let deep: any = 1;
    for (let i = 0; i < 500; i += 1) deep = [deep];
    const answer = await stage.post(`job_templates/${template}/launch/`, { extra_vars: { deep } });
    expect(answer.status).to.equal(400);
  });

  it('is for those who may', async () => {
    await stage.post('users/', { username: 'plain', password: 'plain-password-1' });
    const template = await stage.template();
    expect(
      (await stage.post(`job_templates/${template}/launch/`, {}, { auth: 'plain:plain-password-1' })).status,
    ).to.equal(404);
    expect((await stage.post(`job_templates/${template}/launch/`, {}, { auth: null })).status).to.equal(401);
  });
});
