import { expect } from 'chai';
import { describeWith } from '../../../test/support/needs.ts';
import { type PolicyStage, startPolicyStage } from './stage.ts';

const inAYear = () => new Date(Date.now() + 365 * 86_400_000).toISOString();

describeWith(['opa'], 'waivers of policies', function () {
  this.timeout(300_000);
  let stage: PolicyStage;
  let policy: any;
  let other: any;

  before(async () => {
    stage = await startPolicyStage();
    await stage.enforce('enforce');
    policy = await stage.echo({ name: 'echo', enforcement: 'enforce' });
    other = await stage.makeTemplate({ ask_variables_on_launch: true, allow_simultaneous: true });
    await stage.makeUser('ann');
  });
  after(() => stage?.stop());
  afterEach(async () => {
    const { results } = (await stage.admin.get('policy_waivers/?page_size=200')).body;
    for (const { url } of results) await stage.admin.delete(url);
  });

  const body = (more: object) => ({
    policy: policy.id,
    scope: 'everything',
    reason: 'Agreed in ticket 7.',
    owner: 1,
    expires: inAYear(),
    ...more,
  });
  const waive = (more: object = {}) => stage.make('policy_waivers/', body(more));
  const denied = { result: { deny: ['no'] } };

  it('let denials pass, which the launch and the decision tell', async () => {
    const waiver = await waive({ scope: 'template', unified_job_template: stage.template.id });
    const { status, body: job } = await stage.launch(denied);
    expect(status, JSON.stringify(job)).to.equal(201);
    expect(job.job_explanation).to.match(/^Policy denials waived: echo, until \d{4}-.*Z: Agreed in ticket 7\.$/);
    const [decision] = await stage.decisions(`&unified_job=${job.id}`);
    expect(decision).to.include({ decision: 'deny', message: 'no', waived: true, waiver: waiver.id });
    expect((await stage.admin.delete(waiver.url)).status).to.equal(204);
    expect((await stage.admin.get(decision.url)).body).to.include({ waived: true, waiver: null });
    expect((await stage.launch(denied)).status).to.equal(403);
    expect((await stage.decisions())[0]).to.include({ waived: false, waiver: null });
  });

  it('hold for what they are for, and nothing else', async () => {
    const organization = await stage.make('organizations/', { name: 'elsewhere' });
    const inventory = await stage.make('inventories/', { name: 'elsewhere', organization: 1 });
    const template = stage.template.id;
    const another = await stage.echo();
    for (const [scope, own, others] of [
      ['template', { unified_job_template: template }, { unified_job_template: other.id }],
      ['inventory', { inventory: stage.template.inventory }, { inventory: inventory.id }],
      ['organization', { organization: 1 }, { organization: organization.id }],
      ['everything', {}, { policy: another.id }],
    ] as const) {
      const wrong = await waive({ scope, ...others });
      expect((await stage.launch(denied)).status, `another ${scope}`).to.equal(403);
      const right = await waive({ scope, ...own });
      expect((await stage.launch(denied)).status, scope).to.equal(201);
      for (const { url } of [wrong, right]) await stage.admin.delete(url);
    }
    await stage.admin.delete(another.url);
  });

  it('count until they expire', async () => {
    const { id } = await waive();
    expect((await stage.launch(denied)).status).to.equal(201);
    await stage
      .db('plugin_policy.waivers')
      .where({ id })
      .update({ expires: new Date(Date.now() - 1000) });
    expect((await stage.launch(denied)).status).to.equal(403);
  });

  it('leave warnings, other policies and what is only tried as they are', async () => {
    const shadow = await stage.echo({ enforcement: 'enforce', shadow: true });
    await waive();
    await waive({ policy: shadow.id });
    const { body: job } = await stage.launch({ result: { warn: ['soon'] } });
    expect(job.job_explanation).to.equal('Policy warnings: soon');
    const tried = (await stage.launch(denied)).body;
    const decisions = await stage.decisions(`&unified_job=${tried.id}`);
    expect(decisions.map(({ shadow: only, waived }) => [only, waived])).to.have.deep.members([
      [false, true],
      [true, false],
    ]);
    const strict = await stage.echo({ enforcement: 'enforce' });
    const { status, body: answer } = await stage.launch(denied);
    expect([status, answer.policies]).to.deep.equal([403, [{ id: strict.id, name: strict.name }]]);
    for (const { url } of [strict, shadow]) await stage.admin.delete(url);
  });

  it('are told by previews, which record nothing', async () => {
    await waive();
    const before = (await stage.decisions()).length;
    const preview = { extra_vars: denied };
    const { gates } = (await stage.admin.post(`${stage.template.url}launch/?preview=true`, preview)).body;
    expect(gates[0]).to.include({ tap: 'policy:judge-launch', answer: 'allowed' });
    expect((await stage.decisions()).length).to.equal(before);
  });

  it('are audited when they are made, changed and ended', async () => {
    const waiver = await waive();
    await stage.admin.patch(waiver.url, { reason: 'Agreed once more.' });
    await stage.admin.delete(waiver.url);
    const query = `audit_events/?object_type=policy_waiver&object_id=${waiver.id}&order_by=id`;
    const { results } = (await stage.admin.get(query)).body;
    expect(results.map(({ action }: any) => action)).to.deep.equal(['create', 'update', 'delete']);
    expect(JSON.stringify(results[1])).to.include('Agreed once more.');
  });

  it('are made by those who administer the policy, not by those whom it binds', async () => {
    const own = await stage.echo({ organization: 1 });
    const ann = stage.as('ann');
    const user = (await stage.admin.get('users/?username=ann')).body.results[0].id;
    const post = (more: object) => ann.post('policy_waivers/', body({ owner: user, ...more }));
    await stage.grant('ann', stage.template.url, 'admin_role');
    const waiver = await waive({ scope: 'template', unified_job_template: stage.template.id });
    const everything = await waive();
    expect((await ann.get(waiver.url)).status).to.equal(200);
    expect((await ann.get(everything.url)).status).to.equal(404);
    expect((await ann.patch(waiver.url, { reason: 'x' })).status).to.equal(403);
    expect((await ann.delete(waiver.url)).status).to.equal(403);
    expect((await post({ scope: 'template', unified_job_template: stage.template.id })).status).to.equal(403);
    await stage.grant('ann', '/api/v2/organizations/1/', 'admin_role');
    expect((await post({})).status).to.equal(403);
    expect((await post({ policy: own.id })).status).to.equal(201);
    const listed = (await ann.get(`${own.url}waivers/`)).body;
    expect([listed.count, listed.results[0].owner]).to.deep.equal([1, user]);
    expect((await stage.as(null).get('policy_waivers/')).status).to.equal(401);
  });

  it('refuse what they are not', async () => {
    for (const [more, name, text] of [
      [{ policy: undefined }, 'policy', 'required'],
      [{ policy: null }, 'policy', 'null'],
      [{ policy: 99_999 }, 'policy', 'does not exist'],
      [{ scope: undefined }, 'scope', 'required'],
      [{ scope: 'all' }, 'scope', 'not a valid choice'],
      [{ scope: 'template' }, 'unified_job_template', 'needs it'],
      [{ scope: 'inventory', organization: 1 }, 'inventory', 'needs it'],
      [{ organization: 1 }, 'organization', 'not for the scope everything'],
      [{ reason: '' }, 'reason', 'blank'],
      [{ reason: 'x'.repeat(1025) }, 'reason', '1024'],
      [{ owner: undefined }, 'owner', 'required'],
      [{ expires: undefined }, 'expires', 'required'],
      [{ expires: 'soon' }, 'expires', 'wrong format'],
      [{ expires: '2020-01-01T00:00:00Z' }, 'expires', 'in the future'],
    ] as const) {
      const answer = await stage.admin.post('policy_waivers/', body(more));
      expect(answer.status, `${JSON.stringify(more)} ${answer.text}`).to.equal(400);
      expect(String(answer.body[name]), JSON.stringify(more)).to.include(text);
    }
    const waiver = await waive();
    expect((await stage.admin.patch(waiver.url, { expires: '2020-01-01' })).status).to.equal(400);
    const kept = (await stage.admin.patch(waiver.url, { scope: 'organization', organization: 1 })).body;
    expect(kept).to.include({ scope: 'everything', organization: null });
  });
});
