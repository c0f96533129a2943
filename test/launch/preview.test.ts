import { expect } from 'chai';
import type { Launch } from '@tapline/plugin-sdk';
import { hostsOfLimit } from '../../core/inventory/limit-hosts.ts';
import { testPlugin } from '../support/plugins.ts';
import { type Stage, startStage } from './fixture.ts';

let asked = 0;
const seen: Launch[] = [];
const gate = testPlugin('a-gate', (api) => {
  api.hooks.beforeStart({ name: 'look', failMode: 'deny', stage: 200 }, () => void asked++);
  api.hooks.beforeStart({ name: 'limits', failMode: 'deny', stage: 300, preview: true }, (launch) => {
    seen.push(launch);
    launch.explain(`limit ${launch.run['limit']}\0`);
    return launch.run['limit'] === 'bad' ? { status: 403, body: { detail: 'not on bad' } } : undefined;
  });
  api.hooks.beforeStart({ name: 'breaks', failMode: 'allow', stage: 400, preview: true }, async (launch) => {
    if (launch.run['limit'] === 'odd') await launch.content();
    if (launch.run['limit'] === 'odd') throw new Error('no idea');
  });
});
const gates = ([look, limits, breaks]: object[]) => [
  { tap: 'a-gate:look', stage: 200, fail_mode: 'deny', ...look },
  { tap: 'a-gate:limits', stage: 300, fail_mode: 'deny', ...limits },
  { tap: 'a-gate:breaks', stage: 400, fail_mode: 'allow', ...breaks },
];
const notAsked = { answer: 'not asked', said: [] };
const allowed = (...said: string[]) => ({ answer: 'allowed', said });

describe('the preview of a launch', function () {
  let stage: Stage;
  before(async () => (stage = await startStage({}, [gate])));
  after(() => stage?.stop());

  const preview = (template: number, body: object = {}, options: object = {}) =>
    stage.post(`job_templates/${template}/launch/?preview=true`, body, options);
  const tracked = async () => {
    const { rows } = await stage.services.db.raw(
      'select (select count(*) from runs) as runs, (select count(*) from activity_stream) as entries, (select count(*) from run_secrets) as secrets',
    );
    return rows[0];
  };
  const asking = async (more: object = {}) => {
    const template = await stage.template({
      ask_variables_on_launch: true,
      ask_limit_on_launch: true,
      ask_credential_on_launch: true,
      survey_enabled: true,
      extra_vars: 'own: 1\nover: template\n',
      verbosity: 2,
      ...more,
    });
    const question = { question_name: 'q', required: false, type: 'text' };
    await stage.post(`job_templates/${template}/survey_spec/`, {
      name: '',
      description: '',
      spec: [
        { ...question, variable: 'answer' },
        { ...question, variable: 'left', default: 'default' },
        { ...question, variable: 'pw', type: 'password', default: 'secret default' },
      ],
    });
    return template;
  };

  it('tells where everything comes from, and makes nothing', async () => {
    const template = await asking();
    const credential = await stage.credential({ credential_type: stage.machineType });
    const before = await tracked();
    asked = 0;
    const { status, body } = await preview(template, {
      extra_vars: { answer: 'a', over: 'launch', long: 'x'.repeat(2000), odd: 'a\0b' },
      limit: 'good',
      credentials: [credential],
    });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.errors).to.deep.equal({});
    const variables = Object.fromEntries(body.variables.map(({ name, ...told }: any) => [name, told]));
    expect(variables).to.deep.equal({
      own: { origin: 'template', value: 1 },
      over: { origin: 'prompt', value: 'launch' },
      answer: { origin: 'survey answer', value: 'a' },
      left: { origin: 'survey default', value: 'default' },
      pw: { origin: 'survey default', value: '$encrypted$' },
      long: { origin: 'prompt', length: 2002 },
      odd: { origin: 'prompt', value: 'a\0b' },
    });
    expect(body.settings).to.deep.include({
      limit: { value: 'good', origin: 'prompt' },
      verbosity: { value: 2, origin: 'template' },
    });
    expect(body.credentials.map(({ id, origin }: any) => [id, origin])).to.deep.equal([[credential, 'prompt']]);
    expect(body.inventory).to.include({ id: stage.inventory, origin: 'template' });
    expect(body.injected).to.include.members(['svc_job_id', 'svc_inventory_name']);
    expect(body.hosts).to.deep.equal({ count: 1, names: ['good'] });
    expect(body.gates).to.deep.equal(gates([notAsked, allowed('limit good\0'), allowed()]));
    expect([await tracked(), asked]).to.deep.equal([before, 0]);
    const { run, preview: isPreview, uses, template: shown } = seen.at(-1)!;
    expect([isPreview, run.id, run['limit'], run.status]).to.deep.equal([true, 0, 'good', 'new']);
    expect([uses.inventory?.id, shown?.id]).to.deep.equal([stage.inventory, template]);
  });

  it('asks all gates that can say it without side effects, with their fail mode', async () => {
    const template = await asking();
    const denial = { status: 403, body: { detail: 'not on bad' } };
    const before = await tracked();
    const denied = (await preview(template, { limit: 'bad' })).body.gates;
    expect(denied).to.deep.equal(gates([notAsked, { answer: 'denied', said: ['limit bad\0'], denial }, allowed()]));
    const odd = (await preview(template, { limit: 'odd' })).body.gates;
    const line = 'a-gate:breaks failed; launch allowed by its fail mode.';
    expect(odd).to.deep.equal(gates([notAsked, allowed('limit odd\0'), { ...allowed(line), failed: 'threw' }]));
    const wrong = await preview(template, { limit: 'good', extra_vars: { answer: 3 } });
    expect(wrong.body.gates).to.deep.equal(gates([notAsked, notAsked, notAsked]));
    expect(await tracked()).to.deep.equal(before);
    expect((await stage.post(`job_templates/${template}/launch/`, { limit: 'bad' })).status).to.equal(403);
  });

  it('is what the job keeps as its decision record', async () => {
    const template = await asking();
    const launch = { extra_vars: { answer: 'a', odd: 'a\0b\ud800' }, limit: 'good' };
    const {
      hosts: _hosts,
      errors: _errors,
      ignored_fields: _ignored,
      ...told
    } = (await preview(template, launch)).body;
    const job = await stage.launch(template, launch);
    // they were asked then, with their leave for side effects
    told.gates = gates([allowed(), allowed('limit good\0'), allowed()]);
    expect(job.decision_record).to.deep.equal(told);
    expect(seen.at(-1)!.preview).to.equal(false);
    const { body: list } = await stage.get(`job_templates/${template}/jobs/`);
    expect(list.results[0]).not.to.have.property('decision_record');
    expect((await stage.ended(job.id)).decision_record).to.deep.equal(told);
  });

  it('tells everything that is wrong, and is refused to who may not launch', async () => {
    const template = await asking({ inventory: null, ask_inventory_on_launch: true });
    const { status, body } = await preview(template, { extra_vars: { answer: 3 } });
    expect(status).to.equal(200);
    expect(body.errors).to.have.all.keys('variables_needed_to_start', 'resources_needed_to_start');
    expect(body.hosts).to.deep.equal({ count: 0, names: [] });
    expect((await preview(template, { limit: 3, verbosity: 'x' })).body.errors).to.have.all.keys('verbosity');
    await stage.post('users/', { username: 'nobody', password: 'long enough 1' });
    expect((await preview(template, {}, { auth: 'nobody:long enough 1' })).status).to.equal(404);
    const odd = await stage.post(`job_templates/${template}/launch/?preview=maybe`);
    expect([odd.status, Object.keys(odd.body)]).to.deep.equal([400, ['preview']]);
  });

  it('spends no key of a launch', async () => {
    const template = await stage.template();
    const headers = { 'Idempotency-Key': 'once' };
    expect((await preview(template, {}, { headers })).status).to.equal(200);
    expect((await stage.post(`job_templates/${template}/launch/`, {}, { headers })).status).to.equal(201);
  });

  it('knows what the engine makes of a limit', () => {
    const document = {
      all: { hosts: ['lone'], children: ['web', 'db', 'site'] },
      web: { hosts: ['web1', 'web2.example'] },
      db: { hosts: ['db1', 'web1'] },
      site: { children: ['web', 'db', 'site'] },
    };
    const of = (limit: string) => hostsOfLimit(document, limit)?.join(' ');
    expect(of('')).to.equal('db1 lone web1 web2.example');
    expect(of('all')).to.equal('db1 lone web1 web2.example');
    expect(of('web')).to.equal('web1 web2.example');
    expect(of('site:!db')).to.equal('web2.example');
    expect(of('web,&db')).to.equal('web1');
    expect(of('!web')).to.equal('db1 lone');
    expect(of('web*, lone')).to.equal('lone web1 web2.example');
    expect(of('w?b1')).to.equal('web1');
    expect(of('ungrouped')).to.equal('lone');
    expect(of('nothing')).to.equal('');
    for (const limit of ['~web.*', 'web[0]', '!~x', 'web,db[1:]']) expect(of(limit), limit).to.equal(undefined);
  });
});
