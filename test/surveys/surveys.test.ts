import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { keysInUse, rotateKeys } from '../../core/secrets/rotate.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { testPlugin } from '../support/plugins.ts';
import { until } from '../support/until.ts';

const question = (variable: string, more: object = {}) => ({
  variable,
  question_name: variable,
  type: 'text',
  required: false,
  ...more,
});
const survey = (...spec: object[]) => ({ name: 'Survey', description: 'what is asked', spec });
const password = question('pw', { type: 'password', default: 'first-secret' });

/** What taps are given, as texts. */
const seen: string[] = [];
const watching = testPlugin('survey-watcher', (api) => {
  api.hooks.beforeStart({ name: 'look', failMode: 'allow' }, (launch) => void seen.push(JSON.stringify(launch)));
  api.hooks.afterFinish({ name: 'look-after' }, (finished) => void seen.push(JSON.stringify(finished)));
});

describe('surveys', function () {
  let stage: Stage;
  /** a job with a secret answer */
  let answered: number;
  before(async () => {
    stage = await startStage({}, [watching]);
    const folder = join(stage.dataDir, 'projects', 'stage');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'tell.yml'),
      '- hosts: good\n  gather_facts: false\n  tasks:\n    - debug: {msg: "pw is {{ pw }}, {{ pw | length }} long, {{ plain }}"}\n',
    );
  });
  after(() => stage?.stop());

  const save = (template: number, body: unknown) => stage.post(`job_templates/${template}/survey_spec/`, body);
  const stored = async (template: number) => (await stage.get(`job_templates/${template}/survey_spec/`)).body;
  const asking = async (spec: object[], body: object = {}) => {
    const template = await stage.template({ survey_enabled: true, ...body });
    const { status, body: problem } = await save(template, survey(...spec));
    expect(status, JSON.stringify(problem)).to.equal(200);
    return template;
  };
  const launch = (template: number, extra_vars: unknown, auth?: string) =>
    stage.post(
      `job_templates/${template}/launch/`,
      extra_vars === undefined ? {} : { extra_vars },
      auth ? { auth } : {},
    );

  describe('when they are saved', () => {
    it('are kept as they were sent, with keys that nobody knows, and go by DELETE', async () => {
      const template = await stage.template();
      expect(await stored(template)).to.deep.equal({});
      const spec = [
        question('a', { question_description: 'why', default: '', min: 1, max: null, new_question: true }),
        question('b', { type: 'multiplechoice', choices: ['x', 'y'], default: 'y' }),
      ];
      const reply = await save(template, survey(...spec));
      expect([reply.status, reply.text]).to.deep.equal([200, '']);
      expect(await stored(template)).to.deep.equal(survey(...spec));
      const { body } = await stage.get(`job_templates/${template}/`);
      expect(body.summary_fields.survey).to.deep.equal({ title: 'Survey', description: 'what is asked' });
      expect(body.survey_enabled).to.equal(false);
      expect(body).not.to.have.property('survey_spec');
      expect(body.related.survey_spec).to.equal(`/api/v2/job_templates/${template}/survey_spec/`);
      expect((await stage.request('DELETE', `job_templates/${template}/survey_spec/`)).status).to.equal(200);
      expect(await stored(template)).to.deep.equal({});
      const { body: stream } = await stage.get(
        `job_templates/${template}/activity_stream/?operation=update&order_by=id`,
      );
      expect(
        stream.results.map(({ changes }: any) => changes.survey_spec.map((one: any) => one.name ?? null)),
      ).to.deep.equal([
        [null, 'Survey'],
        ['Survey', null],
      ]);
    });

    const wrong: [string, unknown][] = [
      ['name', { description: '', spec: [question('a')] }],
      ['description', { name: '', description: 3, spec: [question('a')] }],
      ['spec', { name: '', description: '', spec: 'a' }],
      ['at least one question', { name: '', description: '', spec: [] }],
      ['not an object', survey([] as any)],
      ['not an object', survey(null as any)],
      ['type is missing', survey(question('a', { type: undefined }))],
      ['question_name is missing', survey(question('a', { question_name: 1 }))],
      ['variable is missing', survey(question('a', { variable: null }))],
      ['variable is blank', survey(question(' '))],
      ['required is missing', survey(question('a', { required: 'yes' }))],
      ['"a" is repeated', survey(question('a'), question('b'), question('a'))],
      ['"regex" is no type', survey(question('a', { type: 'regex' }))],
      ['default must be a string', survey(question('a', { default: null }))],
      ['default must be a string', survey(question('a', { default: 3 }))],
      ['default must be an integer', survey(question('a', { type: 'integer', default: '3' }))],
      ['default must be an integer', survey(question('a', { type: 'integer', default: 3.5 }))],
      ['default must be a number', survey(question('a', { type: 'float', default: true }))],
      ['min must be', survey(question('a', { min: '1' }))],
      ['max must be', survey(question('a', { max: 1.5 }))],
      ['choices must be', survey(question('a', { type: 'multiselect' }))],
      ['choices must be', survey(question('a', { type: 'multiselect', choices: [1] }))],
      ['needs choices', survey(question('a', { type: 'multiplechoice', choices: ' \n ' }))],
      ['none of the choices', survey(question('a', { type: 'multiplechoice', choices: 'x\ny', default: 'z' }))],
      ['none of the choices', survey(question('a', { type: 'multiselect', choices: 'x\ny', default: 'x\nz' }))],
      ['only one choice', survey(question('a', { type: 'multiplechoice', choices: 'x\ny', default: 'x\ny' }))],
      ['passwords only', survey(question('a', { default: '$encrypted$' }))],
      ['no stored default', survey(question('a', { type: 'password', default: '$encrypted$' }))],
      ['Null characters', survey(question('a', { question_description: 'a\0b' }))],
      ['Null characters', survey(question('a', { more: { ['\0']: 1 } }))],
    ];
    it('are refused with a sentence that says what and where', async () => {
      const template = await stage.template();
      for (const [text, body] of wrong) {
        const { status, body: answer } = await save(template, body);
        expect(status, text).to.equal(400);
        expect(answer, text).to.have.all.keys('error');
        expect(answer.error).to.include(text);
      }
      expect(await stored(template)).to.deep.equal({});
    });

    it('may have a thousand questions, and are answered and refused as quickly as short ones', async () => {
      const many = Array.from({ length: 1000 }, (_, index) => question(`v${index}`, { required: true, max: 3 }));
      const template = await asking(many);
      const answers = Object.fromEntries(many.map(({ variable }, index) => [variable, index ? 'ok' : 'too long']));
      const refused = await launch(template, answers);
      expect(refused.status).to.equal(400);
      expect(refused.body.variables_needed_to_start).to.have.length(1);
      expect((await launch(template, {})).body.variables_needed_to_start).to.have.length(1000);
      expect((await launch(template, { ...answers, v0: 'ok' })).status).to.equal(201);
      const more = await save(template, survey(...many, question('last')));
      expect([more.status, more.body.error]).to.deep.equal([
        400,
        'spec: a survey has at most 1000 questions, not 1001.',
      ]);
      expect((await save(template, survey(question('a', { choices: 'x'.repeat(1_100_000) })))).body.error).to.include(
        'MAX_VARIABLES_LENGTH',
      );
    });

    it('leave out blank lines of choices', async () => {
      const template = await asking([
        question('a', { type: 'multiselect', choices: 'x\n\n  \ny\r\n', default: 'x\ny' }),
      ]);
      expect((await stored(template)).spec[0]).to.include({ choices: 'x\ny', default: 'x\ny' });
    });

    it('keep the default of a password that is sent back masked, and show none', async () => {
      const template = await asking([password, question('none', { type: 'password', default: '' })]);
      const shown = await stored(template);
      expect(shown.spec.map((one: any) => one.default)).to.deep.equal(['$encrypted$', '']);
      const raw = async () => (await stage.services.db('templates').where({ id: template }).first()).survey_spec;
      const [sealed] = (await raw()).spec;
      expect(JSON.stringify(await raw())).not.to.include('first-secret');
      expect(
        (await save(template, { ...shown, spec: [{ ...shown.spec[0], question_name: 'renamed' }] })).status,
      ).to.equal(200);
      expect((await raw()).spec[0].default).to.equal(sealed.default);
      await save(template, survey(question('none', { type: 'password', default: '' })));
      await save(template, survey(question('none', { type: 'password', default: '$encrypted$' })));
      expect((await stored(template)).spec[0].default).to.equal('');
    });
  });

  describe('when a launch answers them', () => {
    it('are told of beforehand, once they are enabled', async () => {
      const template = await asking([question('a', { required: true, default: 'x' }), question('b')]);
      const info = async () => (await stage.get(`job_templates/${template}/launch/`)).body;
      expect(await info()).to.deep.include({
        survey_enabled: true,
        variables_needed_to_start: ['a'],
        can_start_without_user_input: false,
      });
      await stage.request('PATCH', `job_templates/${template}/`, { body: { survey_enabled: false } });
      expect(await info()).to.deep.include({
        survey_enabled: false,
        variables_needed_to_start: [],
        can_start_without_user_input: true,
      });
      expect((await launch(template, {})).status).to.equal(201);
    });

    it('complain of everything at once, and repeat no password', async () => {
      const template = await asking([
        question('missing', { required: true, default: 'does not count' }),
        question('short', { min: 3 }),
        question('long', { type: 'textarea', max: 3 }),
        question('text'),
        question('pw', { type: 'password', min: 20 }),
        question('needed', { type: 'password', required: true }),
        question('whole', { type: 'integer', min: 1 }),
        question('flag', { type: 'integer' }),
        question('number', { type: 'float', max: 2 }),
        question('one', { type: 'multiplechoice', choices: 'x\ny' }),
        question('some', { type: 'multiselect', choices: ['x', 'y'] }),
        question('list', { type: 'multiselect', choices: ['x', 'y'] }),
      ]);
      const { status, body } = await launch(template, {
        short: 'ab',
        long: 'abcd',
        text: 3,
        pw: 'my-very-secret',
        needed: '$encrypted$',
        whole: 0,
        flag: true,
        number: 2.5,
        one: 'z',
        some: ['x', 'z'],
        list: 'x',
      });
      expect(status).to.equal(400);
      const { variables_needed_to_start: problems, ...others } = body;
      expect(others).to.deep.equal({});
      expect(problems.map((text: string) => /^'(\w+)'/.exec(text)?.[1])).to.deep.equal(
        'missing short long text pw needed whole flag number one some list'.split(' '),
      );
      expect(JSON.stringify(body)).not.to.include('my-very-secret');
    });

    it('let their own variables pass, and tell of others', async () => {
      const template = await asking(
        [
          question('a'),
          question('b', { default: 'of the survey' }),
          question('c', { type: 'integer', default: 7 }),
          question('d', { type: 'multiselect', choices: ['x', 'y'], default: 'x\ny' }),
          question('e', { default: '' }),
          question('f', { default: 'too long', max: 3 }),
        ],
        { extra_vars: 'a: of the template\nb: of the template\nz: 1\n' },
      );
      const { status, body } = await launch(template, { a: 'given', other: 1 });
      expect(status).to.equal(201);
      expect(JSON.parse(body.extra_vars)).to.deep.equal({ a: 'given', b: 'of the survey', c: 7, d: ['x', 'y'], z: 1 });
      expect(body.ignored_fields).to.deep.equal({ extra_vars: { other: 1 } });
      // also where it is what the template has by itself
      const same = await launch(template, 'b: of the template');
      expect(JSON.parse(same.body.extra_vars).b).to.equal('of the template');
      await stage.request('PATCH', `job_templates/${template}/`, { body: { ask_variables_on_launch: true } });
      expect(JSON.parse((await launch(template, { other: 1 })).body.extra_vars).other).to.equal(1);
    });

    it('hand secrets to the playbook and show them nowhere', async () => {
      const template = await asking([password, question('plain')], { playbook: 'tell.yml' });
      seen.length = 0;
      const { body: job } = await launch(template, { pw: 'answered-secret', plain: 'visible' });
      answered = job.id;
      expect(JSON.parse(job.extra_vars)).to.deep.equal({ pw: '$encrypted$', plain: 'visible' });
      const ended = await stage.ended(job.id);
      expect(ended).to.include({ status: 'successful' });
      const { text } = await stage.get(`jobs/${job.id}/stdout/?format=txt_download`);
      expect(text).to.include('pw is $encrypted$, 15 long, visible');
      await until(async () => seen.some((one) => one.includes('"successful"')));
      const rows = await stage.services.db.raw(
        `select (select jsonb_agg(to_jsonb(r)) from runs r) as runs, (select jsonb_agg(to_jsonb(a)) from activity_stream a) as activity,
           (select jsonb_agg(to_jsonb(e)) from run_events e) as events, (select jsonb_agg(to_jsonb(t)) from templates t) as templates,
           (select jsonb_agg(to_jsonb(q)) from tapline_jobs._private_jobs q) as queue`,
      );
      for (const place of [JSON.stringify(rows.rows), seen.join(), JSON.stringify(ended)]) {
        expect(place).not.to.include('answered-secret');
        expect(place).not.to.include('first-secret');
      }
      expect(seen.join()).not.to.include('tap1:');
    });
  });

  describe('when a job is launched again', () => {
    const ann = 'ann:secret of ann';
    const bob = 'bob:secret of bob';
    before(async () => {
      const organization = (await stage.get('organizations/')).body.results[0].id;
      for (const [username, words] of [ann, bob].map((one) => one.split(':') as [string, string])) {
        const { body } = await stage.post('users/', { username, password: words });
        await stage.post(`organizations/${organization}/admins/`, { id: body.id });
      }
    });
    const relaunch = (job: number, auth: string) => stage.post(`jobs/${job}/relaunch/`, {}, { auth });
    const mayStart = async (job: number, auth: string) =>
      (await stage.get(`jobs/${job}/`, { auth })).body.summary_fields.user_capabilities.start;

    it('repeats secret answers for who gave them, and the superuser', async () => {
      const template = await asking([password, question('plain')], { playbook: 'tell.yml' });
      const { body: job } = await launch(template, { pw: 'a longer secret', plain: 'x' }, ann);
      await stage.ended(job.id);
      const refused = await relaunch(job.id, bob);
      expect([refused.status, Object.keys(refused.body)]).to.deep.equal([403, ['detail']]);
      expect([await mayStart(job.id, ann), await mayStart(job.id, bob)]).to.deep.equal([true, false]);
      const again = await relaunch(job.id, ann);
      expect(again.status, JSON.stringify(again.body)).to.equal(201);
      expect(JSON.parse(again.body.extra_vars)).to.deep.equal({ pw: '$encrypted$', plain: 'x' });
      await stage.ended(again.body.id);
      const { text } = await stage.get(`jobs/${again.body.id}/stdout/?format=txt_download`);
      expect(text).to.include('pw is $encrypted$, 15 long');
      // a default was nobody's answer
      const { body: unasked } = await launch(template, { plain: 'y' }, ann);
      await stage.ended(unasked.id);
      expect((await relaunch(unasked.id, bob)).status).to.equal(201);
    });

    it('keeps them secret when the question is gone, and when the template is', async () => {
      const template = await asking([password, question('plain')], { playbook: 'tell.yml' });
      const { body: job } = await launch(template, { pw: 'kept secret', plain: 'x' }, ann);
      await stage.ended(job.id);
      await save(template, survey(question('pw'), question('plain')));
      const again = await relaunch(job.id, ann);
      expect(JSON.parse(again.body.extra_vars)).to.deep.equal({ pw: '$encrypted$', plain: 'x' });
      await stage.ended(again.body.id);
      expect((await stage.request('DELETE', `job_templates/${template}/`)).status).to.equal(204);
      expect([await mayStart(job.id, ann), await mayStart(job.id, bob)]).to.deep.equal([true, false]);
      expect((await relaunch(job.id, bob)).status).to.equal(403);
      const orphan = await relaunch(job.id, ann);
      expect(orphan.status, JSON.stringify(orphan.body)).to.equal(201);
      await stage.ended(orphan.body.id);
      const { text } = await stage.get(`jobs/${orphan.body.id}/stdout/?format=txt_download`);
      expect(text).to.include('pw is $encrypted$, 11 long');
    });

    it('checks its answers against the survey as it is now', async () => {
      const template = await asking([question('a')]);
      const { body: job } = await launch(template, { a: 'long enough' }, ann);
      await stage.ended(job.id);
      await save(template, survey(question('a', { max: 3 }), question('b', { required: true })));
      const { status, body } = await relaunch(job.id, ann);
      expect(status).to.equal(400);
      expect(body.variables_needed_to_start).to.have.length(2);
      await save(template, survey(question('a'), question('b', { required: true, default: 'x' })));
      expect(JSON.parse((await relaunch(job.id, ann)).body.extra_vars)).to.deep.equal({ a: 'long enough', b: 'x' });
    });
  });

  describe('and their secrets', () => {
    it('are copied, and stand in where a password is left masked', async () => {
      const spec = [{ ...password, required: true }, question('plain', { default: 'x' })];
      const template = await asking(spec, { playbook: 'tell.yml' });
      const { body: copy } = await stage.post(`job_templates/${template}/copy/`, { name: 'copied survey' });
      expect(await stored(copy.id)).to.deep.equal(await stored(template));
      expect((await stage.request('DELETE', `job_templates/${template}/`)).status).to.equal(204);
      const { status, body: job } = await launch(copy.id, { pw: '$encrypted$' });
      expect(status).to.equal(201);
      expect((await stage.ended(job.id)).status).to.equal('successful');
      const { text } = await stage.get(`jobs/${job.id}/stdout/?format=txt_download`);
      expect(text).to.include('pw is $encrypted$, 12 long');
    });

    it('are copied by who administers the template only', async () => {
      const template = await asking([password]);
      const roles = async (path: string) => (await stage.get(path)).body.summary_fields.object_roles;
      const copier = (await stage.post('users/', { username: 'copier', password: 'copier-password-1' })).body.id;
      const gets = (role: { id: number }) => stage.post(`users/${copier}/roles/`, { id: role.id });
      const own = await roles(`job_templates/${template}/`);
      await gets(own.read_role);
      await gets((await roles(`projects/${stage.project}/`)).use_role);
      await gets((await roles(`inventories/${stage.inventory}/`)).use_role);
      const auth = { auth: 'copier:copier-password-1' };
      const defaults: unknown[] = [];
      for (const name of ['as a reader', 'as its administrator']) {
        const copied = await stage.post(`job_templates/${template}/copy/`, { name }, auth);
        expect(copied.status, copied.text).to.equal(201);
        const { body } = await stage.get(`job_templates/${copied.body.id}/survey_spec/`, auth);
        defaults.push(body.spec[0].default);
        await gets(own.admin_role);
      }
      expect(defaults).to.deep.equal(['', '$encrypted$']);
    });

    it('are put under a new key with all others', async () => {
      const { db, keyRing } = stage.services;
      const { active, unreadable } = await rotateKeys({ db, keyRing });
      expect(unreadable).to.deep.equal([]);
      expect([...(await keysInUse(db))]).to.deep.equal([active]);
      const { body } = await stage.post(`jobs/${answered}/relaunch/`);
      expect((await stage.ended(body.id)).status).to.equal('successful');
    });
  });
});
