import { expect } from 'chai';
import { until } from '@tapline/plugin-sdk/testing';
import { describeWith } from '../../../test/support/needs.ts';
import { freePort, startOpa } from './opa.ts';
import { type PolicyStage, startPolicyStage } from './stage.ts';

const denies = (name: string, message = 'no') => `package ${name}\n\ndeny contains "${message}"\n`;

describeWith(['opa'], 'policies', function () {
  this.timeout(300_000);
  let stage: PolicyStage;
  let ann: ReturnType<PolicyStage['as']>;

  before(async () => {
    stage = await startPolicyStage();
    await stage.makeUser('ann');
    ann = stage.as('ann');
    await stage.enforce('enforce');
  });
  after(() => stage?.stop());
  afterEach(async () => {
    const { results } = (await stage.admin.get('policies/?page_size=200')).body;
    for (const { url } of results) await stage.admin.delete(url);
    await stage.set({ POLICY_ENGINE_SERVER_URL: stage.opa.url, POLICY_ENGINE_FAIL_MODE: 'allow' });
  });

  const held = async (id: number) => {
    const answer = await fetch(`${stage.opa.url}/v1/policies/policy_${id}`);
    return answer.ok ? ((await answer.json()) as any).result.raw : undefined;
  };
  const refused = async (body: object, field: string, text: string) => {
    const answer = await stage.admin.post('policies/', { name: 'p', rego_module: denies('p'), ...body });
    expect(answer.status, answer.text).to.equal(400);
    expect(String(answer.body[field])).to.include(text);
  };

  describe('as records', () => {
    it('have the fields and defaults of the specification, and are pushed when they are saved', async () => {
      const made = await stage.make('policies/', { name: 'first', rego_module: denies('tapline.first') });
      expect(made).to.deep.include({
        type: 'policy',
        organization: null,
        enforcement: 'warn',
        enabled: true,
        applies_to: [],
        package_path: 'tapline/first',
        trigger_count: 0,
        last_triggered_at: null,
        last_evaluated_at: null,
        last_sync_status: 'ok',
      });
      expect(await held(made.id)).to.equal(denies('tapline.first').trim());
      const changed = (await stage.admin.patch(made.url, { rego_module: denies('tapline.second') })).body;
      expect(changed).to.include({ package: 'tapline.second', package_path: 'tapline/second', last_sync_status: 'ok' });
      expect(await held(made.id)).to.equal(denies('tapline.second').trim());
      expect((await stage.admin.delete(made.url)).status).to.equal(204);
      await until(async () => (await held(made.id)) === undefined);
    });

    it('are saved with the complaint of the engine where it does not take them', async () => {
      const made = await stage.make('policies/', { name: 'bad', rego_module: 'package bad\n\ndeny if {\n' });
      expect(made.last_sync_status).to.equal('failed');
      expect(made.last_sync_error).to.match(/line [34]: /);
      const mended = (await stage.admin.patch(made.url, { rego_module: denies('bad') })).body;
      expect(mended).to.include({ last_sync_status: 'ok', last_sync_error: '' });
      const endless = 'package bad\n\na if b\n\nb if a\n\ndeny contains "d" if a\n';
      const { body: loop } = await stage.admin.patch(made.url, { rego_module: endless });
      expect(loop.last_sync_status).to.equal('failed');
      expect(loop.last_sync_error).to.match(/line \d: rule data\.bad\.a is recursive/);
    });

    it('that reach out are taken away again, where their text did not tell when they were saved', async () => {
      const made = await stage.make('policies/', { name: 'hidden', rego_module: denies('hidden') });
      const rego_module = 'package hidden\n\nx := http.send({"method": "get", "url": "http://127.0.0.1:9/"})\n';
      await stage
        .db('plugin_policy.policies')
        .where({ id: made.id })
        .update({ rego_module, last_sync_status: 'failed' });
      const pushed = (await stage.admin.patch(made.url, { description: 'again' })).body;
      expect(pushed.last_sync_status).to.equal('failed');
      expect(pushed.last_sync_error).to.equal('A policy must not reach out of the engine: http.send.');
      // each minute's comparison tries it again, and takes it away again
      await until(async () => (await held(made.id)) === undefined);
    });

    it('are saved while the engine is down, and pushed when it is back', async () => {
      const port = await freePort();
      await stage.set({ POLICY_ENGINE_SERVER_URL: `http://127.0.0.1:${port}` });
      const made = await stage.make('policies/', { name: 'late', rego_module: denies('late') });
      expect(made.last_sync_status).to.equal('failed');
      const engine = await startOpa(port);
      try {
        await until(async () => (await stage.admin.get(made.url)).body.last_sync_status === 'ok', 120_000);
      } finally {
        await engine.stop();
      }
    });

    it('are listed by their filters', async () => {
      const one = await stage.echo({ applies_to: ['job_template'], organization: 1, description: 'needle' });
      const two = await stage.echo({ applies_to: ['ad_hoc_command'], enabled: false });
      const three = await stage.echo();
      const ids = async (query: string) =>
        (await stage.admin.get(`policies/?order_by=id&${query}`)).body.results.map(({ id }: any) => id);
      expect(await ids('applies_to=job_template')).to.deep.equal([one.id, three.id]);
      expect(await ids('enabled=false')).to.deep.equal([two.id]);
      expect(await ids('organization=1')).to.deep.equal([one.id]);
      expect(await ids('search=needle')).to.deep.equal([one.id]);
      expect((await stage.admin.get('policies/?applies_to=host')).status).to.equal(400);
    });

    it('are made by administrators, read by who reads the organization', async () => {
      const own = await stage.echo({ organization: 1 });
      const all = await stage.echo();
      const post = (organization: number | null) =>
        ann.post('policies/', { name: 'x', rego_module: denies('x'), organization });
      expect((await post(1)).status).to.equal(403);
      expect((await ann.get(own.url)).status).to.equal(404);
      expect((await ann.get(all.url)).status).to.equal(200);
      await stage.grant('ann', '/api/v2/organizations/1/', 'read_role');
      expect((await ann.get(own.url)).status).to.equal(200);
      expect((await ann.post(`${own.url}disable/`)).status).to.equal(403);
      expect((await ann.post(`${own.url}test/`, { input: {} })).status).to.equal(403);
      expect((await post(null)).status).to.equal(403);
      expect((await stage.as(null).get('policies/')).status).to.equal(401);
    });

    it('are switched on and off, as often as one likes', async () => {
      const { url } = await stage.echo();
      for (const [action, enabled] of [
        ['disable', false],
        ['disable', false],
        ['enable', true],
      ]) {
        const { status, body } = await stage.admin.post(`${url}${action}/`);
        expect([status, body.enabled]).to.deep.equal([200, enabled]);
      }
    });

    it('refuse what they are not', async () => {
      await refused({ enforcement: 'block' }, 'enforcement', 'not a valid choice');
      await refused({ applies_to: ['host'] }, 'applies_to', '"host" is none of');
      await refused({ applies_to: [{}] }, 'applies_to', 'is none of');
      await refused({ rego_module: 'deny := true' }, 'rego_module', 'begin with its package');
      await refused({ rego_module: denies('system.authz') }, 'rego_module', 'not for policies');
      await refused({ rego_module: 'package p\nx := http.send({})' }, 'rego_module', 'http.send');
      for (const call of [
        'http["\\u0073end"]({})',
        'http[`send`]({})',
        'net . lookup_ip_addr("x")',
        'opa["runtime"]()',
      ])
        await refused({ rego_module: `package p\nx := ${call}` }, 'rego_module', 'must not reach out');
      await refused({ package_path: 'p/../../policies' }, 'package_path', 'path of names');
      await refused({ package_path: 'p?explain=full' }, 'package_path', 'path of names');
      await refused({ package_path: 'system/version' }, 'package_path', 'in the package of the module');
      await stage.make('policies/', { name: 'p', rego_module: denies('p') });
      await refused({ name: 'q' }, 'rego_module', 'Another policy has this package');
      expect((await stage.admin.patch('organizations/1/', { policy_enforcement: 'block' })).status).to.equal(400);
    });
  });

  describe('tried', () => {
    it('tell what they say of an input, and record nothing', async () => {
      const policy = await stage.echo({ enforcement: 'enforce' });
      const asked = (input: unknown, more = {}) => stage.admin.post(`${policy.url}test/`, { input, ...more });
      const input = { extra_vars: { result: { deny: ['a'], warn: ['b'] } } };
      const { status, body } = await asked(input);
      expect(status).to.equal(200);
      expect(body.duration_ms).to.be.a('number');
      delete body.duration_ms;
      const raw = { deny: ['a'], warn: ['b'] };
      expect(body).to.deep.equal({ decision: 'deny', deny: ['a'], warn: ['b'], recognized: true, raw_result: raw });
      expect((await asked({})).body).to.include({ decision: 'allow' });
      const odd = await asked({}, { rego_module: 'package x\n\ndenied := true' });
      expect(odd.body).to.deep.include({ decision: 'allow', recognized: false, raw_result: { denied: true } });
      const broken = await asked({}, { rego_module: 'package x\n\ndeny if {' });
      expect(broken.status).to.equal(400);
      expect(String(broken.body.rego_module)).to.match(/line [34]: /);
      expect((await asked('text')).status).to.equal(400);
      expect((await stage.admin.post(`${policy.url}test/`, {})).status).to.equal(400);
      expect(await stage.decisions(`&policy=${policy.id}`)).to.deep.equal([]);
      const { result } = (await (await fetch(`${stage.opa.url}/v1/policies`)).json()) as any;
      expect(result.filter(({ id }: any) => id.startsWith('draft_'))).to.deep.equal([]);
      await stage.set({ POLICY_ENGINE_SERVER_URL: `http://127.0.0.1:${await freePort()}` });
      expect((await asked(input)).status).to.equal(503);
    });

    it('before they are saved tell the same, to who may make them', async () => {
      const draft = { rego_module: 'package draft.x\n\ndeny contains input.a\nwarn contains "w"', organization: 1 };
      const asked = (more: object = {}, by = stage.admin) =>
        by.post('policies/test/', { input: { a: 'no' }, ...draft, ...more });
      const { status, body } = await asked();
      expect(status).to.equal(200);
      expect(body).to.deep.include({ decision: 'deny', deny: ['no'], warn: ['w'], recognized: true });
      expect((await asked({ package_path: 'draft/x/warn' })).body.raw_result).to.deep.equal(['w']);
      expect((await asked({ package_path: 'other' })).body).to.have.property('package_path');
      expect((await asked({ rego_module: 'package x\n\ndeny if {' })).body.rego_module[0]).to.match(/line [34]: /);
      expect((await asked({ rego_module: 'package x\nx := http.send({})' })).status).to.equal(400);
      expect((await asked({ organization: 987_654_321 })).body).to.have.property('organization');
      expect((await asked({ organization: null }, ann)).status).to.equal(403);
      await stage.grant('ann', '/api/v2/organizations/1/', 'read_role');
      expect((await asked({}, ann)).status).to.equal(403);
      expect((await stage.admin.get('policies/')).body.count).to.equal(0);
      const { result } = (await (await fetch(`${stage.opa.url}/v1/policies`)).json()) as any;
      expect(result.filter(({ id }: any) => id.startsWith('draft_'))).to.deep.equal([]);
    });

    it('on past launches tell what they would have done, each kept context asked once', async () => {
      await stage.set({ POLICY_CONTEXTS_KEPT_DAYS: 7 });
      const policy = await stage.echo();
      const [first, second] = [(await stage.launch()).body, (await stage.launch({ result: { deny: ['d'] } })).body];
      await stage.set({ POLICY_CONTEXTS_KEPT_DAYS: 0 });
      await stage.launch({ result: { deny: ['not kept'] } });
      const asked = (body: object) => stage.admin.post(`${policy.url}backtest/`, body);
      const { status, body } = await asked({});
      expect([status, body.count, body.allowed, body.denied]).to.deep.equal([200, 2, 1, 1]);
      expect(body.results).to.have.length(1);
      expect(body.results[0]).to.deep.include({ unified_job: second.id, decision: 'deny', messages: ['d'] });
      const draft = `package x\n\nwarn contains "w"\n`;
      const tried = (await asked({ rego_module: draft })).body;
      expect(tried).to.include({ count: 2, warned: 2 });
      expect(tried.results.map(({ unified_job: job }: any) => job)).to.deep.equal([second.id, first.id]);
      expect((await asked({ limit: 1 })).body.count).to.equal(1);
      expect((await asked({ limit: 0 })).status).to.equal(400);
      expect((await asked({ rego_module: 'package x\n\ndeny if {' })).status).to.equal(400);
    });

    it('say in previews what they would do, and record nothing', async () => {
      await stage.echo({ enforcement: 'enforce' });
      const body = { extra_vars: { result: { deny: ['a'] } } };
      const { gates } = (await stage.admin.post(`${stage.template.url}launch/?preview=true`, body)).body;
      expect(gates[0]).to.include({ tap: 'policy:judge-launch', answer: 'denied' });
      expect(await stage.decisions('&message=a&unified_job__isnull=true&triggered_by=1')).to.deep.equal([]);
    });
  });

  describe('on launches', () => {
    it('are asked with the whole context, without secrets, which the decision keeps', async () => {
      const policy = await stage.echo({ enforcement: 'enforce', name: 'context_policy' });
      const spec = [
        { variable: 'pin', question_name: 'Pin', type: 'password', required: true },
        { variable: 'colour', question_name: 'Colour', type: 'text', required: true },
      ];
      const machine = (await stage.admin.get('credential_types/?namespace=ssh')).body.results[0].id;
      const credential = await stage.make('credentials/', { name: 'key', credential_type: machine, organization: 1 });
      const template = await stage.makeTemplate({ ask_variables_on_launch: true, survey_enabled: true });
      await stage.admin.post(`${template.url}survey_spec/`, { name: 's', description: '', spec });
      await stage.admin.post(`${template.url}credentials/`, { id: credential.id });
      const variables = {
        pin: 'opensesame',
        colour: 'red',
        db_password: 'opensesame',
        nested: { api_key: 'opensesame' },
      };
      const { status } = await stage.launch({ ...variables, result: { deny: ['no'] } }, template);
      expect(status).to.equal(403);
      const [listed] = await stage.decisions(`&policy=${policy.id}`);
      expect(listed).to.include({
        type: 'policy_decision',
        policy_name: 'context_policy',
        organization: 1,
        decision: 'deny',
        message: 'no',
        unified_job: null,
        unified_job_template: template.id,
        triggered_by: 1,
        shadow: false,
      });
      const { text, body } = await stage.admin.get(listed.url);
      expect(text).to.not.include('opensesame');
      const { now_iso: now, ...context } = body.context;
      expect(now).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(context).to.deep.equal({
        resource_type: 'job_template',
        resource_id: template.id,
        resource_name: template['name'],
        organization_id: 1,
        organization_name: 'Default',
        user: { id: 1, username: 'admin', is_superuser: true },
        extra_vars: {
          pin: '$encrypted$',
          colour: 'red',
          db_password: '$encrypted$',
          nested: { api_key: '$encrypted$' },
          result: { deny: ['no'] },
        },
        inventory: { id: template['inventory'], name: body.context.inventory.name, kind: '' },
        credentials: [{ id: credential.id, name: 'key', kind: 'ssh' }],
        playbook: template['playbook'],
        client_ip: body.context.client_ip,
      });
      expect(context.client_ip).to.match(/127\.0\.0\.1|::1/);
    });

    it('judge workflows and commands, each where it applies', async () => {
      const of = (type: string, message: string) =>
        stage.make('policies/', {
          name: type,
          rego_module: denies(`only.${type}`, message),
          enforcement: 'enforce',
          applies_to: [type],
        });
      await of('workflow_job_template', 'no workflows');
      await of('ad_hoc_command', 'no commands');
      expect((await stage.launch()).status).to.equal(201);
      const workflow = await stage.make('workflow_job_templates/', { name: 'w', organization: 1 });
      const launched = await stage.admin.post(`${workflow.url}launch/`);
      expect([launched.status, launched.body.reasons]).to.deep.equal([403, ['no workflows']]);
      const machine = (await stage.admin.get('credential_types/?namespace=ssh')).body.results[0].id;
      const credential = await stage.make('credentials/', { name: 'c', credential_type: machine, organization: 1 });
      const command = { module_name: 'ping', inventory: stage.template.inventory, credential: credential.id };
      const asked = await stage.admin.post('ad_hoc_commands/', command);
      expect([asked.status, asked.body.reasons]).to.deep.equal([403, ['no commands']]);
      const [decision] = await stage.decisions('&policy_name=ad_hoc_command');
      const { context } = (await stage.admin.get(decision.url)).body;
      expect(context).to.deep.include({ resource_type: 'ad_hoc_command', resource_name: 'ping', organization_id: 1 });
    });

    it('judge together: every reason, one decision for each, and figures of each', async () => {
      const [one, two, three] = [
        await stage.echo({ enforcement: 'enforce' }),
        await stage.make('policies/', { name: 'two', rego_module: denies('two', 'second'), enforcement: 'enforce' }),
        await stage.make('policies/', { name: 'three', rego_module: denies('three', 'third') }),
      ];
      const { status, body } = await stage.launch({ result: { deny: ['first'] } });
      expect(status).to.equal(403);
      expect(body.reasons).to.deep.equal(['first', 'second']);
      expect(body.policies.map(({ id }: any) => id)).to.deep.equal([one.id, two.id]);
      const [third] = await stage.decisions(`&policy=${three.id}`);
      expect(third).to.include({ decision: 'warn', message: 'third', unified_job: null });
      const shown = (await stage.admin.get(one.url)).body;
      expect(shown.trigger_count).to.equal(1);
      expect(shown.last_triggered_at).to.be.a('string');
      await stage.admin.patch(two.url, { enforcement: 'none' });
      await stage.launch();
      await until(async () => (await stage.admin.get(one.url)).body.last_evaluated_at > shown.last_evaluated_at);
      expect((await stage.admin.get(one.url)).body.trigger_count).to.equal(1);
    });

    it('find their decisions by filters, readable by who reads the template, beyond the policy', async () => {
      const policy = await stage.echo({ name: 'gone', enforcement: 'enforce' });
      const before = new Date().toISOString();
      await stage.launch({ result: { deny: ['d'] } });
      const warned = (await stage.launch({ result: { warn: ['w'] } })).body;
      const said = async (query: string) =>
        (await stage.decisions(`&policy_name=gone${query}`)).map(({ message }) => message);
      expect(await said('')).to.deep.equal(['w', 'd']);
      expect(await said('&decision=deny')).to.deep.equal(['d']);
      expect(await said(`&unified_job=${warned.id}`)).to.deep.equal(['w']);
      expect(await said(`&since=${before}`)).to.deep.equal(['w', 'd']);
      expect(await said('&since=2999-01-01')).to.deep.equal([]);
      expect((await stage.admin.get('policy_decisions/?since=x')).status).to.equal(400);
      await stage.makeUser('bob');
      expect((await stage.as('bob').get('policy_decisions/?policy_name=gone')).body.count).to.equal(0);
      await stage.grant('bob', stage.template.url, 'read_role');
      expect((await stage.as('bob').get('policy_decisions/?policy_name=gone')).body.count).to.equal(2);
      await stage.admin.delete(policy.url);
      const [kept] = await stage.decisions(`&unified_job=${warned.id}`);
      expect(kept).to.include({ policy: null, policy_name: 'gone' });
      expect((await stage.admin.delete(kept.url)).status).to.equal(405);
    });

    it('of an organization judge its launches alone', async () => {
      const other = await stage.make('organizations/', { name: 'other' });
      await stage.echo({ organization: other.id, enforcement: 'enforce' });
      expect((await stage.launch({ result: { deny: ['d'] } })).status).to.equal(201);
    });

    it('that are only tried record what they would do', async () => {
      const policy = await stage.echo({ enforcement: 'enforce', shadow: true });
      const { status, body } = await stage.launch({ result: { deny: ['d'] } });
      expect([status, body.job_explanation]).to.deep.equal([201, '']);
      const [decision] = await stage.decisions(`&policy=${policy.id}`);
      expect(decision).to.include({ decision: 'deny', shadow: true, unified_job: body.id });
    });

    it('deny after the engine was restarted, at the first launch', async () => {
      await stage.echo({ enforcement: 'enforce' });
      const port = Number(new URL(stage.opa.url).port);
      await stage.opa.stop();
      stage.opa = await startOpa(port);
      expect((await stage.launch({ result: { deny: ['d'] } })).status).to.equal(403);
    });

    it('keep a denied run as failed where nobody waits', async () => {
      await stage.make('policies/', {
        name: 'jobs',
        rego_module: denies('jobs', 'not by a workflow'),
        enforcement: 'enforce',
        applies_to: ['job_template'],
      });
      const workflow = await stage.make('workflow_job_templates/', { name: 'steps', organization: 1 });
      await stage.make(`${workflow.url}workflow_nodes/`, { unified_job_template: stage.template.id });
      await stage.admin.post(`${workflow.url}launch/`);
      const query = `jobs/?job_template=${stage.template.id}&status=failed`;
      const job = await until(async () => (await stage.admin.get(query)).body.results[0], 120_000);
      expect(job.job_explanation).to.include('not by a workflow');
      const [decision] = await stage.decisions(`&unified_job=${job.id}`);
      expect(decision).to.include({ decision: 'deny' });
    });
  });

  it('are counted for recommendations', async () => {
    await stage.echo();
    await stage.echo({ enforcement: 'enforce' });
    const { body } = await stage.admin.get('plugins/policy/');
    expect(body.contributions.insights.names).to.include.members(['policies.total', 'policies.enforced']);
  });

  it('cost a launch nothing while the engine is off', async () => {
    await stage.echo({ enforcement: 'enforce' });
    await stage.set({ POLICY_ENGINE_ENABLED: false });
    try {
      const answer = await stage.launch({ result: { deny: ['d'] } });
      expect(answer.status).to.equal(201);
      const run = await stage.db('runs').where({ id: answer.body.id }).first('status_seq', 'decision_record');
      expect(JSON.stringify(run.decision_record)).to.include('"not asked"');
    } finally {
      await stage.set({ POLICY_ENGINE_ENABLED: true });
    }
  });
});
