import type { PluginApi } from '@tapline/plugin-sdk';
import { definePlugin, points } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { bootWith, testPlugin } from '../../../test/support/plugins.ts';
import type { TestService } from '../../../test/support/service.ts';
import recommendations from '../index.ts';
import type { Rule } from '../rule.ts';

const path = '/api/v2/recommendations/';
const plain = 'plain:plain-Secret-1';

/** The plugin with a clock of the test's, since inputs are kept for a minute, and a log that the test reads. */
const clock = { offset: 0, now: () => new Date(Date.now() + clock.offset) };
const errors: { input: string; text: string }[] = [];
const log = {
  debug: () => undefined,
  error: (fields: object, text: string) => void errors.push({ ...(fields as { input: string }), text }),
};
const clocked = definePlugin({
  ...recommendations,
  register: (api) =>
    recommendations.register(Object.create(api, { clock: { value: clock }, log: { value: log } }) as PluginApi),
});
const later = () => void (clock.offset += 60_001);

const insights: Record<string, unknown> = {};
const extra: Rule[] = [];
const spans: { name: string; attributes: object }[] = [];
const offered = (id: string, evaluate: Rule['evaluate']): Rule => ({
  id,
  scope: 'resources',
  severity: 'critical',
  title: id,
  action_link: `/${id}`,
  evaluate,
});

/** Stands for the plugins that will bring the inputs, and adds rules of its own. */
const neighbour = testPlugin('neighbour', (api) => {
  for (const name of ['scanners.enabled', 'policies.total', 'tenants.quota_usage'])
    api.insights.provide(name, () => {
      if (insights[name] instanceof Error) throw insights[name];
      return insights[name];
    });
  for (const rule of extra) api.offer('recommendation.rule', rule);
  api.offer(points.tracer, {
    async span(name, work) {
      const attributes = {};
      const value = await work({ set: (more) => void Object.assign(attributes, more) });
      spans.push({ name, attributes });
      return value;
    },
  });
});

describe('GET /api/v2/recommendations/', () => {
  let service: TestService;
  const ids = async (query = ''): Promise<string[]> =>
    (await service.get(`${path}${query}`)).body.results.map((item: { id: string }) => item.id);

  before(async () => {
    extra.push(
      offered('own_rule', ({ organizations }) => ({ why: `${organizations} organizations` })),
      offered('odd_names', () => ({ why: 'Told plainly.', named: [{ type: 'nonsense', id: 1, why: 'Never.' }] })),
      offered('meddles', (inputs) => {
        (inputs as { organizations: number }).organizations = 99;
        return { why: 'Never told.' };
      }),
      offered('throws', () => {
        throw new Error('broken');
      }),
      offered('hangs', () => new Promise(() => undefined)),
      offered('lies', (() => ({ reason: 5 })) as never),
      offered('silent', () => undefined),
    );
    service = await bootWith({ plugins: [neighbour, clocked] });
    const { db } = service.services;
    const [organization] = await db('organizations').select('id').orderBy('id').limit(1);
    await db('templates').insert({ kind: 'job_template', name: 'first', organization_id: organization.id });
    await db('users').where({ username: 'admin' }).update({ initial_password: true });
  });
  after(() => service.stop());
  beforeEach(() => {
    for (const name of Object.keys(insights)) delete insights[name];
    errors.length = 0;
    later();
  });

  it('lists what triggers on a fresh installation: by severity, then in the order of registration', async () => {
    const reply = await service.get(path);
    expect(reply.status).to.equal(200);
    expect(reply.body.count).to.equal(reply.body.results.length);
    expect(reply.body.results.map(({ id, severity }: any) => [severity, id])).to.deep.equal([
      ['critical', 'own_rule'],
      ['critical', 'odd_names'],
      ['critical', 'default_admin_password'],
      ['warn', 'no_scanners'],
      ['info', 'no_observability'],
      ['info', 'no_schedules'],
      ['info', 'no_drift'],
      ['info', 'few_surveys'],
      ['info', 'no_catalog_items'],
      ['info', 'only_default_team'],
    ]);
    expect(reply.body.results[1].why).to.equal('Told plainly.');
    expect(Object.keys(reply.body.results[0])).to.have.members([
      'id',
      'scope',
      'severity',
      'title',
      'why',
      'action_link',
    ]);
  });

  it('is for every authenticated user, and for them only', async () => {
    await service.post('/api/v2/users/', { username: 'plain', password: 'plain-Secret-1' });
    const theirs = await service.get(path, { auth: plain });
    expect(theirs.body).to.deep.equal((await service.get(path)).body);
    expect((await service.get(path, { auth: null })).status).to.equal(401);
  });

  for (const [scope, expected] of Object.entries({
    dashboard: ['default_admin_password', 'no_observability'],
    automation: ['no_schedules'],
    self_service: ['few_surveys', 'no_catalog_items'],
    tenancy: [],
    compliance: ['no_scanners', 'no_drift'],
    resources: ['own_rule', 'odd_names'],
    access: ['only_default_team'],
  }))
    it(`tells of ${scope} only`, async () => {
      expect(await ids(`?scope=${scope}`)).to.deep.equal(expected);
    });

  it('takes all for a scope and refuses what is none', async () => {
    expect(await ids('?scope=all')).to.deep.equal(await ids());
    const reply = await service.get(`${path}?scope=x`);
    expect([reply.status, reply.body]).to.deep.equal([400, { scope: ['"x" is not a valid choice.'] }]);
    expect((await service.get(`${path}?scope=`)).status).to.equal(400);
  });

  it('reads the insights of other plugins, and a failing one as zero', async () => {
    Object.assign(insights, { 'scanners.enabled': 2, 'policies.total': 3 });
    expect(await ids('?scope=compliance')).to.deep.equal(['all_policies_warn', 'no_drift']);
    later();
    Object.assign(insights, { 'scanners.enabled': new Error('broken'), 'policies.total': new Error('broken') });
    expect(await ids('?scope=compliance')).to.deep.equal(['no_scanners', 'no_drift']);
  });

  it('keeps its inputs for a minute', async () => {
    const first = await ids('?scope=compliance');
    insights['scanners.enabled'] = 2;
    expect(await ids('?scope=compliance')).to.deep.equal(first);
    later();
    expect(await ids('?scope=compliance')).to.deep.equal(['no_drift']);
  });

  it('names a tenant to everybody, or only to those who may see it where the setting says so', async () => {
    const { id } = (await service.post('/api/v2/organizations/', { name: 'Globex' })).body;
    insights['tenants.quota_usage'] = [{ organization: id, name: 'Globex', quota_kind: 'hosts', percent: 91 }];
    const why = async (options = {}) =>
      (await service.get(`${path}?scope=tenancy`, options)).body.results.find(
        (item: any) => item.id === 'tenant_near_quota',
      ).why as string;
    expect(await why())
      .to.include('Tenant Globex')
      .and.include('91%');
    expect(await why({ auth: plain })).to.equal(await why());
    const body = { RECOMMENDATIONS_NAME_TENANTS: 'who_may_see' };
    expect((await service.request('PATCH', '/api/v2/settings/recommendations/', { body })).status).to.equal(200);
    expect(await why()).to.include('Globex');
    expect(await why({ auth: plain }))
      .to.include('91%')
      .and.not.include('Globex');
  });

  it('asks the database at most 20 times', async () => {
    insights['tenants.quota_usage'] = [{ organization: 1, name: 'Default', quota_kind: 'hosts', percent: 91 }];
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) {
      let statements = 0;
      const count = () => void (statements += 1);
      later();
      service.services.db.on('query', count);
      await service.get(path);
      service.services.db.off('query', count);
      counts.push(statements);
    }
    // the service asks things of its own now and then
    expect(Math.min(...counts)).to.be.within(6, 20);
  });

  it('traces each evaluation with scope and count', async () => {
    spans.length = 0;
    const { count } = (await service.get(`${path}?scope=compliance`)).body;
    expect(spans).to.deep.equal([{ name: 'recommendations.evaluate', attributes: { scope: 'compliance', count } }]);
  });

  it('goes away with its causes', async () => {
    expect(await ids('?scope=dashboard')).to.include('default_admin_password');
    const [admin] = (await service.get('/api/v2/users/?username=admin')).body.results;
    await service.services.db('users').where({ id: admin.id }).update({ initial_password: false });
    later();
    expect(await ids('?scope=dashboard')).to.deep.equal(['no_observability']);
  });

  const health = async () => (await service.get('/api/v2/plugins/recommendations/')).body.health;

  it('reads every input from what core promises', async () => {
    await service.get(path);
    expect(errors).to.deep.equal([]);
    expect(await health()).to.deep.equal({ status: 'ok' });
  });

  for (const [what, breaks, mends, input, rules] of [
    [
      'column that was renamed',
      'alter view core_teams rename column name to called',
      'alter view core_teams rename column called to name',
      'first_team',
      ['only_default_team'],
    ],
    [
      'view that is gone',
      'alter view core_templates rename to gone',
      'alter view gone rename to core_templates',
      'job_templates',
      ['no_scanners', 'no_schedules', 'no_drift', 'few_surveys', 'no_catalog_items'],
    ],
  ] as const)
    it(`leaves out what needs a ${what}, tells the operator, and goes on with the rest`, async () => {
      const { db } = service.services;
      const before = await ids();
      expect(before).to.include.members([...rules]);
      await db.raw(breaks);
      later();
      try {
        expect(await ids()).to.deep.equal(before.filter((id) => !(rules as readonly string[]).includes(id)));
        expect(errors.map((error) => error.input)).to.include(input);
        expect(errors[0]!.text).to.match(/^an input could not be read/);
        const { status, detail } = await health();
        expect(status).to.equal('degraded');
        expect(detail).to.match(new RegExp(`left out: .*${input} \\(.* does not exist\\)`));
      } finally {
        await db.raw(mends);
      }
      later();
      expect(await ids()).to.deep.equal(before);
      expect(await health()).to.deep.equal({ status: 'ok' });
    });

  it('counts surveys that ask something, and good updates of projects only', async () => {
    const { db } = service.services;
    const survey = (questions: object[]) => ({
      survey_enabled: true,
      survey_spec: JSON.stringify({ spec: questions }),
    });
    await db('templates').where({ name: 'first' }).update(survey([]));
    expect(await ids('?scope=self_service')).to.include('few_surveys');
    await db('templates')
      .where({ name: 'first' })
      .update(survey([{ variable: 'a' }]));
    await db('templates').where({ kind: 'job_template' }).whereNot({ name: 'first' }).delete();
    later();
    expect(await ids('?scope=self_service')).not.to.include('few_surveys');

    const old = '2020-01-01T00:00:00Z';
    const project = { kind: 'project', name: 'synced', status: 'failed', last_job_run: old };
    const [{ id }] = await db('templates').insert(project).returning('id');
    expect(await ids('?scope=automation')).not.to.include('stale_project');
    await db('runs').insert({ kind: 'project_update', template_id: id, status: 'successful', finished: old });
    later();
    expect(await ids('?scope=automation')).to.include('stale_project');
  });

  it('is described in the API', async () => {
    const operation = (await service.get('/api/v2/openapi.json')).body.paths[path].get;
    expect(operation.parameters.find((parameter: any) => parameter.name === 'scope').schema.enum).to.include('all');
    expect((await service.get('/api/v2/')).body.recommendations).to.equal(path);
  });
});
