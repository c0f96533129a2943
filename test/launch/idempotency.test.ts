import { expect } from 'chai';
import { deleteOldKeys } from '../../core/http/idempotency.ts';
import { until } from '../support/until.ts';
import { type Stage, startStage } from './fixture.ts';

describe('Idempotency-Key', function () {
  let stage: Stage;
  let template: number;
  /** what the tap of this service does now, while a launch is being decided */
  let decide: () => unknown = () => undefined;
  let tapped = 0;

  before(async () => {
    stage = await startStage();
    stage.services.hooks.beforeStart({ name: 'test', stage: 200, failMode: 'deny', timeoutMs: 60_000 }, async () => {
      tapped += 1;
      return (await decide()) as never;
    });
    template = await stage.template({ ask_limit_on_launch: true });
  });
  after(() => stage.stop());
  afterEach(() => {
    decide = () => undefined;
  });

  const send = async (path: string, key: string, body?: object, auth?: string) => {
    const answer = await fetch(`${stage.url}/api/v2/${path}`, {
      method: 'POST',
      headers: {
        authorization: auth ?? `Basic ${btoa('admin:test-admin-password')}`,
        'idempotency-key': key,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
  };
  const launch = (key: string, body?: object) => send(`job_templates/${template}/launch/`, key, body);
  const runs = async () => Number((await stage.services.db('runs').whereNot({ status: 'new' }).count())[0]!['count']);
  const keys = () => stage.services.db('idempotency_keys');
  const grow = async (work: () => Promise<unknown>) => {
    const before = await runs();
    await work();
    return (await runs()) - before;
  };

  it('answers the second request with the bytes of the first, and launches once', async () => {
    const added = await grow(async () => {
      const first = await launch('again', { limit: 'good', verbosity: 3 });
      expect(first.status).to.equal(201);
      expect(first.headers.get('idempotency-replayed')).to.equal(null);
      await stage.ended(first.body.id);
      const second = await launch('again', { limit: 'good', verbosity: 3 });
      expect(second.status).to.equal(201);
      expect(second.text).to.equal(first.text);
      for (const name of ['location', 'content-type'])
        expect(second.headers.get(name)).to.equal(first.headers.get(name));
      expect(second.headers.get('idempotency-replayed')).to.equal('true');
    });
    expect(added).to.equal(1);
  });

  it('tells a request that comes while the first is in progress to ask again', async () => {
    let go!: () => void;
    const held = new Promise<void>((resolve) => (go = resolve));
    decide = () => held;
    const count = tapped;
    const added = await grow(async () => {
      const first = launch('both');
      await until(async () => tapped > count);
      const second = await launch('both');
      expect(second.status).to.equal(409);
      expect(second.headers.get('retry-after')).to.equal('1');
      go();
      expect((await launch('both')).text).to.be.oneOf([(await first).text, second.text]);
      expect((await launch('both')).text).to.equal((await first).text);
    });
    expect(added).to.equal(1);
  });

  it('launches once for many requests at the same moment', async () => {
    const added = await grow(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => launch('many')));
      const made = answers.filter(({ status }) => status === 201);
      expect(answers.filter(({ status }) => status !== 201 && status !== 409)).to.deep.equal([]);
      expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
    });
    expect(added).to.equal(1);
  });

  it('refuses the key for another body or path, and knows it for each user apart', async () => {
    expect((await launch('mine', { limit: 'good' })).status).to.equal(201);
    for (const other of [await launch('mine', { limit: 'bad' }), await launch('mine')]) {
      expect(other.status).to.equal(422);
      expect(other.body.detail).to.include('Idempotency-Key');
    }
    const another = await stage.template();
    expect((await send(`job_templates/${another}/launch/`, 'mine', { limit: 'good' })).status).to.equal(422);
    await stage.post('users/', { username: 'second', password: 'pass word', is_superuser: true });
    const second = `Basic ${btoa('second:pass word')}`;
    const theirs = await send(`job_templates/${template}/launch/`, 'mine', { limit: 'bad' }, second);
    expect(theirs.status).to.equal(201);
  });

  it('leaves the key free where nothing was launched', async () => {
    expect((await launch('refused', { limit: null })).status).to.equal(400);
    decide = () => ({ status: 403, body: { detail: 'no' } });
    expect((await launch('refused')).status).to.equal(403);
    decide = () => undefined;
    expect((await launch('refused')).status).to.equal(201);
  });

  it('is not taken by what a gate launches before it denies', async () => {
    const other = await stage.template();
    let inner: Promise<unknown> | undefined;
    decide = async () => {
      if (inner) return undefined;
      inner = stage.services.launch.start({
        template: other,
        prompts: {},
        actor: null,
        authority: null,
        origin: { kind: 'dependency', id: 1, client_ip: null },
        waiting: false,
      });
      await inner;
      return { status: 403, body: { detail: 'not now' } };
    };
    expect((await launch('gated')).status).to.equal(403);
    inner = undefined;
    expect((await launch('gated')).status).to.equal(403);
    decide = () => undefined;
    const allowed = await launch('gated');
    expect([allowed.status, allowed.body.job_template]).to.deep.equal([201, template]);
  });

  it('is taken over when the process of the first request is not heard of, which then launches nothing', async () => {
    let go!: () => void;
    const held = new Promise<void>((resolve) => (go = resolve));
    decide = () => held;
    const count = tapped;
    const added = await grow(async () => {
      const first = launch('lost');
      await until(async () => tapped > count);
      decide = () => undefined;
      await keys().whereNull('status').update({ alive: '2020-01-01' });
      const second = await launch('lost');
      expect(second.status, second.text).to.equal(201);
      go();
      const late = await first;
      expect(late.status).to.equal(409);
      expect((await launch('lost')).text).to.equal(second.text);
    });
    expect(added).to.equal(1);
  });

  it('answers from the run where the process died between launching and answering', async () => {
    const added = await grow(async () => {
      const first = await launch('died', { verbosity: 2 });
      const unanswered = { status: null, headers: null, body: null };
      await keys().where({ run_id: first.body.id }).update(unanswered);
      expect((await launch('died', { verbosity: 2 })).status).to.equal(409);
      await keys().where({ run_id: first.body.id }).update({ alive: '2020-01-01' });
      const second = await launch('died', { verbosity: 2 });
      expect(second.status).to.equal(201);
      expect(second.body).to.include({ job: first.body.id, id: first.body.id, type: 'job' });
      expect(second.body.ignored_fields).to.deep.equal({ verbosity: 2 });
      expect(second.headers.get('location')).to.equal(first.headers.get('location'));
      expect((await launch('died', { verbosity: 2 })).text).to.equal(second.text);
      await stage.ended(first.body.id);
      await keys()
        .where({ run_id: first.body.id })
        .update({ ...unanswered, alive: '2020-01-01' });
      await stage.services.db('runs').where({ id: first.body.id }).delete();
      const third = await launch('died', { verbosity: 2 });
      expect(third.status).to.equal(409);
      expect(third.body.detail).to.include(`run ${first.body.id}`);
    });
    expect(added).to.equal(0);
  });

  it('holds for relaunches and for updates of projects', async () => {
    const job = await stage.launch(template);
    await stage.ended(job.id);
    const source = await stage.post('projects/', {
      name: 'with a source',
      organization: (await stage.get('organizations/')).body.results[0].id,
      scm_type: 'git',
      scm_url: 'https://127.0.0.1:1/none.git',
    });
    for (const [path, status] of [
      [`jobs/${job.id}/relaunch/`, 201],
      [`projects/${source.body.id}/update/`, 202],
    ] as const) {
      const added = await grow(async () => {
        const first = await send(path, `key of ${path}`);
        expect(first.status, first.text).to.equal(status);
        expect((await send(path, `key of ${path}`)).text).to.equal(first.text);
      });
      expect(added).to.equal(1);
    }
  });

  it('must have 1 to 255 characters, and means nothing elsewhere', async () => {
    for (const bad of ['', 'x'.repeat(256)]) expect((await launch(bad)).status).to.equal(400);
    for (let round = 0; round < 2; round++)
      expect((await send('organizations/', 'elsewhere', { name: `o${round}` })).status).to.equal(201);
  });

  it('is forgotten after a day', async () => {
    const first = await launch('daily');
    await keys().where({ run_id: first.body.id }).update({ created: '2020-01-01' });
    const second = await launch('daily');
    expect(second.body.id).not.to.equal(first.body.id);
    await keys().where({ run_id: second.body.id }).update({ created: '2020-01-01' });
    expect(await deleteOldKeys(stage.services.db)).to.equal(1);
    expect(await keys().where({ run_id: second.body.id })).to.deep.equal([]);
  });

  it('stands in the description of the API', async () => {
    const { body } = await stage.get('openapi.json');
    const { post } = body.paths['/api/v2/job_templates/{id}/launch/'];
    expect(post.parameters.map(({ name, in: place }: any) => [name, place])).to.deep.equal([
      ['Idempotency-Key', 'header'],
    ]);
  });
});
