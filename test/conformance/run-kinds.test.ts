import { expect } from 'chai';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { bootWith } from '../support/plugins.ts';
import { adminPassword, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { madeUpKinds, word } from './made-up-kinds.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Kinds that need an engine, a task, and nobody, of which core knows nothing but what a plugin says of them. */
describe('made-up kinds of runs', function () {
  let database: TestDatabase;
  let dataDir: string;
  let folder: string;
  let service: TestService;
  let organization: number;
  const messages: any[] = [];

  const start = async (plugins = [madeUpKinds({ folder })]) => {
    service = await bootWith({
      plugins,
      database,
      dataDir,
      env: { TAPLINE_NODE_NAME: 'made-up' },
    });
  };
  before(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'tapline-kinds-'));
    folder = mkdtempSync(join(tmpdir(), 'tapline-gates-'));
    for (const path of [dataDir, folder]) chmodSync(path, 0o755);
    await start();
    organization = (await service.post('organizations/', { name: 'made up' })).body.id;
    for (const [username, role] of [
      ['reader', 'read_role'],
      ['runner', 'execute_role'],
      ['stranger', null],
    ] as const) {
      const { id } = (await service.post('users/', { username, password: `${username}-password-1` })).body;
      if (role) {
        const { object_roles } = (await service.get(`organizations/${organization}/`)).body.summary_fields;
        await service.post(`users/${id}/roles/`, { id: object_roles[role].id });
      }
    }
  });
  after(async () => {
    await service.stop();
    await database.drop();
    for (const path of [dataDir, folder]) removeFolder(path);
  });

  const as = (username: string) => ({ auth: `${username}:${username}-password-1` });
  const template = async (kind: string, description: string, more: object = {}) => {
    const { status, body } = await service.post(`${kind}_templates/`, {
      name: `${kind} ${Math.random()}`,
      description,
      organization,
      ...more,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id as number;
  };
  const launch = async (kind: string, id: number, body: object = {}, options: object = {}) =>
    service.post(`${kind}_templates/${id}/launch/`, body, options);
  const launched = async (kind: string, description: string): Promise<number> => {
    const answer = await launch(kind, await template(kind, description));
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body[kind];
  };
  const run = async (kind: string, id: number) => (await service.get(`${kind}s/${id}/`)).body;
  const reached = (kind: string, id: number, status: string) =>
    until(
      async () => {
        const body = await run(kind, id);
        return body.status === status ? body : undefined;
      },
      60_000,
      `${kind} ${id} ${status}`,
    );
  const ended = (kind: string, id: number) =>
    until(async () => ((await run(kind, id)).finished ? run(kind, id) : undefined), 60_000, `the end of ${kind} ${id}`);
  const open = (id: number) => writeFileSync(join(folder, `go-${id}`), '');
  const output = async (kind: string, id: number) =>
    (await service.get(`${kind}s/${id}/stdout/?format=txt`, { headers: { Accept: 'text/plain' } })).body as string;

  for (const kind of ['made_engine', 'made_task'] as const)
    describe(`of which one needs a${kind === 'made_task' ? ' task' : 'n engine'}`, () => {
      let id: number;
      let from: number;

      it('is launched from its templates, one at a time, and tells what it waits for', async () => {
        from = await template(kind, 'red', { ask_limit_on_launch: true });
        const info = await service.get(`${kind}_templates/${from}/launch/`);
        expect(info.body).to.deep.include({ can_start_without_user_input: false, ask_limit_on_launch: true });
        const answer = await launch(kind, from, { limit: 'web' });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
        id = answer.body[kind];
        expect(answer.body).to.include({ id, type: kind, limit: 'web', colour: 'red', organization });
        await reached(kind, id, 'running');
        const second = (await launch(kind, from)).body[kind];
        const waiting = await until(async () => {
          const { status, pending_reasons } = await run(kind, second);
          return status === 'pending' && pending_reasons[0]?.code === 'concurrency' ? pending_reasons[0] : undefined;
        });
        expect(waiting.explanation).to.equal(`waiting for ${kind}-${id} to finish`);
        expect((await service.post(`${kind}s/${second}/cancel/`)).status).to.equal(202);
        expect((await run(kind, second)).status).to.equal('canceled');
      });

      it('shows its output while it goes, on its template and over the WebSocket', async () => {
        await until(async () => /begun|attempt 1/.test(await output(kind, id)));
        const { current_job } = (await service.get(`${kind}_templates/${from}/`)).body.summary_fields;
        expect(current_job).to.include({ id, status: 'running' });
        const socket = await listen(kind, id);
        open(id);
        const { status, job_explanation, colour } = await ended(kind, id);
        expect({ status, colour }).to.deep.equal({ status: 'successful', colour: 'red' });
        expect(job_explanation).to.equal(kind === 'made_task' ? 'All done.' : 'It said ended.');
        await until(() => messages.some((one) => one.group_name === `${kind}_events` && one[kind] === id));
        await until(() =>
          messages.some(
            (one) =>
              one.group_name === 'jobs' &&
              one.unified_job_id === id &&
              one.status === 'successful' &&
              one.type === kind,
          ),
        );
        socket.close();
        expect(await output(kind, id)).to.match(kind === 'made_task' ? /ended/ : /in red/);
        const events = (await service.get(`${kind}s/${id}/events/`)).body;
        expect(events.count).to.be.greaterThan(0);
        expect(events.results[0]).to.include({ type: `${kind}_event`, [kind]: id, event: 'verbose' });
      });

      it('is in the lists of all runs and of all templates, for who may see it', async () => {
        const mine = async (auth: object) =>
          (await service.get(`unified_jobs/?id=${id}`, auth)).body.results.map(({ type }: any) => type);
        expect(await mine({})).to.deep.equal([kind]);
        expect(await mine(as('reader'))).to.deep.equal([kind]);
        expect(await mine(as('stranger'))).to.deep.equal([]);
        const templates = (await service.get(`unified_job_templates/?id=${from}`, as('reader'))).body.results;
        expect(templates.map(({ type, summary_fields }: any) => [type, summary_fields.last_job.id])).to.deep.equal([
          [`${kind}_template`, id],
        ]);
        const found = async (filter: string) =>
          (await service.get(`${kind}s/?${filter}`)).body.results.map((one: any) => one.id);
        expect(await found('limit__exact=web')).to.deep.equal([id]);
        expect(await found('colour=red')).to.include(id);
        expect(await found('colour=green')).to.deep.equal([]);
        expect((await service.get(`${kind}_templates/${from}/jobs/`)).body.count).to.equal(2);
        expect((await service.get(`${kind}s/${id}/`, as('stranger'))).status).to.equal(404);
      });

      it('stands in the activity stream with who launched and cancelled it', async () => {
        const { results } = (await service.get(`activity_stream/?object1=${kind}&order_by=id`)).body;
        expect(results.map(({ operation }: any) => operation)).to.include.members(['create', 'update']);
        expect(results[0].summary_fields[kind][0].id).to.equal(id);
        expect((await service.get(`${kind}s/${id}/activity_stream/`)).body.count).to.equal(1);
      });

      it('is launched and cancelled by who may, and says to everybody what they may', async () => {
        const fresh = await template(kind, 'blue');
        expect((await launch(kind, fresh, {}, as('stranger'))).status).to.equal(404);
        expect((await launch(kind, fresh, {}, as('reader'))).status).to.equal(403);
        const answer = await launch(kind, fresh, {}, as('runner'));
        expect(answer.status).to.equal(201);
        const own = answer.body[kind];
        await reached(kind, own, 'running');
        expect((await service.post(`${kind}s/${own}/cancel/`, {}, as('reader'))).status).to.equal(403);
        expect((await service.get(`${kind}s/${own}/cancel/`, as('reader'))).body).to.deep.equal({ can_cancel: true });
        expect((await service.request('DELETE', `${kind}s/${own}/`)).status).to.equal(403);
        expect((await service.post(`${kind}s/${own}/cancel/`, {}, as('runner'))).status).to.equal(202);
        expect(await ended(kind, own)).to.include({ status: 'canceled', failed: true });
        expect((await service.post(`${kind}s/${own}/cancel/`)).status).to.equal(405);
        const options = (await service.request('OPTIONS', `${kind}s/${own}/`)).body;
        expect(options.name).to.equal(kind === 'made_task' ? 'Made task' : 'Made engine');
        expect((await service.request('DELETE', `${kind}s/${own}/`, as('reader'))).status).to.equal(403);
        expect((await service.request('DELETE', `${kind}s/${own}/`)).status).to.equal(204);
      });

      it('ends with the reason where it cannot be done', async () => {
        const refused = await launch(kind, await template(kind, 'none'));
        expect([refused.status, refused.body]).to.deep.equal([400, { colour: ['A colour is needed.'] }]);
        const broken = await launched(kind, kind === 'made_task' ? 'broken' : 'unpreparable');
        open(broken);
        const { status, job_explanation } = await ended(kind, broken);
        expect([status, job_explanation]).to.deep.equal(
          kind === 'made_task'
            ? ['error', 'The work is broken. \uFFFD \uFFFD']
            : ['failed', 'There is nothing to execute. \uFFFD \uFFFD'],
        );
      });

      it('goes on after a restart of the service in the middle', async () => {
        const across = await launched(kind, 'green');
        await until(async () => /begun|attempt 1/.test(await output(kind, across)));
        await service.stop();
        await start();
        expect((await run(kind, across)).status).to.equal('running');
        if (kind === 'made_task') await until(async () => (await output(kind, across)).includes('attempt 2'));
        open(across);
        expect(await ended(kind, across)).to.include({ status: 'successful' });
        const said = await output(kind, across);
        expect(said).to.match(
          kind === 'made_task' ? /attempt 2 with \$encrypted\$\n+ended/ : /^begun \$encrypted\$\nin green/,
        );
        expect(said).to.not.contain(word);
        expect(await database.db('run_secrets').where({ run_id: across })).to.deep.equal([]);
      });
    });

  describe('whose work has a result that does not fit their row', () => {
    it('end all the same', async () => {
      const unfit = await launched('made_task', 'unfit');
      open(unfit);
      expect(await ended('made_task', unfit)).to.include({
        status: 'error',
        job_explanation: 'The work ended as successful, but its result could not be stored.',
      });
    });
  });

  describe('that name a graph of the dashboard', () => {
    it('are counted in it, and it stands in the description of the API', async () => {
      const { status, body } = await service.get('dashboard/graphs/jobs/?job_type=made_work&period=day');
      expect(status).to.equal(200);
      const counted = body.jobs.successful.reduce((sum: number, [, runs]: [number, number]) => sum + runs, 0);
      const made = await database.db('runs').where({ kind: 'made_task', status: 'successful' }).count();
      expect(counted).to.equal(Number(made[0]!['count'])).and.to.be.greaterThan(0);
      const { parameters } = (await service.get('openapi.json')).body.paths['/api/v2/dashboard/graphs/jobs/'].get;
      const { schema } = parameters.find(({ name }: { name: string }) => name === 'job_type');
      expect(schema.enum).to.deep.equal(['all', 'inv_sync', 'made_work', 'playbook_run', 'scm_update']);
    });
  });

  describe('whose plugin is off for one boot', () => {
    it('are neither begun nor lost, hold up nobody, and go on once it is on again', async () => {
      const going = { made_engine: 0, made_task: 0 };
      const inLine = { made_engine: 0, made_task: 0 };
      const kinds = ['made_engine', 'made_task'] as const;
      for (const kind of kinds) {
        const from = await template(kind, 'green');
        going[kind] = (await launch(kind, from)).body[kind];
        inLine[kind] = (await launch(kind, from)).body[kind];
        await until(async () => /begun|attempt 1/.test(await output(kind, going[kind])));
      }
      await service.stop();
      await start([]);
      for (const kind of kinds) open(going[kind]);
      // of one kind that the service knows and one that it does not
      const one = { kind: 'job', needs: 'nobody', status: 'pending', holds: ['shared'], waits_for: ['shared'] };
      const [off, on] = await database
        .db('runs')
        .insert([
          { ...one, kind: 'made_engine', needs: 'engine' },
          { ...one, blocked_on: 'shared' },
        ])
        .returning('id');
      await until(async () => (await database.db('runs').where({ id: on.id }).first()).status === 'running');
      const lists = ['unified_jobs/', 'unified_jobs/?type=made_task', 'unified_job_templates/', 'dashboard/', 'jobs/'];
      for (const path of lists) expect((await service.get(path)).status, path).to.equal(200);
      const statuses = async () => {
        const ids = kinds.flatMap((kind) => [going[kind], inLine[kind]]);
        return database.db('runs').whereIn('id', ids).orderBy('id').pluck('status');
      };
      expect(await statuses()).to.deep.equal(['running', 'pending', 'running', 'pending']);
      await service.stop();
      await start();
      for (const kind of kinds) {
        expect(await ended(kind, going[kind])).to.include({ status: 'successful' });
        await reached(kind, inLine[kind], 'running');
        open(inLine[kind]);
        expect(await ended(kind, inLine[kind])).to.include({ status: 'successful' });
      }
      await database.db('runs').whereIn('id', [off.id, on.id]).delete();
    });
  });

  describe('of which one needs nobody', () => {
    it('launches another run, waits for it over a restart, and ends as that does', async () => {
      const child = await template('made_task', 'child');
      const parent = await launched('made_wait', String(child));
      const spawned = await until(async () => {
        const { results } = (await service.get('made_tasks/?order_by=-id&page_size=1')).body;
        return results[0]?.unified_job_template === child ? results[0] : undefined;
      });
      expect(spawned).to.include({ launch_type: 'workflow' });
      expect(await run('made_wait', parent)).to.include({ status: 'running', execution_node: '' });
      await until(async () => (await output('made_task', spawned.id)).includes('attempt 1'));
      await service.stop();
      await start();
      open(spawned.id);
      expect(await ended('made_wait', parent)).to.include({
        status: 'successful',
        job_explanation: `As made_task ${spawned.id}.`,
      });
      expect((await service.get(`made_waits/${parent}/stdout/`)).status).to.equal(404);
    });

    it('keeps what it goes by from being deleted, until it has ended', async () => {
      const child = await template('made_task', 'child');
      const { made_task: earlier } = (await launch('made_task', child)).body;
      open(earlier);
      await ended('made_task', earlier);
      const parent = await launched('made_wait', String(child));
      await reached('made_wait', parent, 'running');
      const remove = () => service.request('DELETE', `made_tasks/${earlier}/`);
      expect((await remove()).status).to.equal(403);
      expect((await service.post(`made_waits/${parent}/cancel/`)).status).to.equal(202);
      await ended('made_wait', parent);
      expect((await remove()).status).to.equal(204);
    });

    it('is told of, listed and cancelled as any other is', async () => {
      const from = await template('made_wait', String(await template('made_task', 'child')));
      expect((await launch('made_wait', from, {}, as('stranger'))).status).to.equal(404);
      expect((await launch('made_wait', from, {}, as('reader'))).status).to.equal(403);
      const answer = await launch('made_wait', from, {}, as('runner'));
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      const id: number = answer.body.made_wait;
      await reached('made_wait', id, 'running');
      const listed = async (auth: object) =>
        (await service.get(`unified_jobs/?id=${id}`, auth)).body.results.map(({ type }: any) => type);
      expect(await Promise.all([{}, as('reader'), as('stranger')].map(listed))).to.deep.equal([
        ['made_wait'],
        ['made_wait'],
        [],
      ]);
      expect((await service.get(`made_waits/${id}/`, as('stranger'))).status).to.equal(404);
      expect((await service.post(`made_waits/${id}/cancel/`, {}, as('reader'))).status).to.equal(403);
      const socket = await listen('made_wait', id);
      expect((await service.post(`made_waits/${id}/cancel/`, {}, as('runner'))).status).to.equal(202);
      expect(await ended('made_wait', id)).to.include({ status: 'canceled' });
      await until(() =>
        messages.some((one) => one.unified_job_id === id && one.type === 'made_wait' && one.status === 'canceled'),
      );
      socket.close();
      const { results } = (await service.get(`made_waits/${id}/activity_stream/?order_by=id`)).body;
      expect(results.map((one: any) => [one.operation, one.summary_fields.actor.username])).to.deep.equal([
        ['create', 'runner'],
        ['update', 'runner'],
      ]);
    });

    it('takes its run along when it is cancelled', async () => {
      const child = await template('made_engine', 'child');
      const parent = await launched('made_wait', String(child));
      const spawned = await until(async () => {
        const { results } = (await service.get('made_engines/?order_by=-id&page_size=1')).body;
        return results[0]?.unified_job_template === child && results[0].status === 'running' ? results[0] : undefined;
      });
      expect((await service.post(`made_waits/${parent}/cancel/`)).status).to.equal(202);
      expect(await ended('made_wait', parent)).to.include({ status: 'canceled' });
      expect(await ended('made_engine', spawned.id)).to.include({ status: 'canceled' });
    });

    it('gives templates names that are unique below what it says, in an organization', async () => {
      const name = 'twice';
      await template('made_answer', 'red', { name });
      await template('made_answer', 'blue', { name });
      const body = { name, description: 'red', organization };
      const refused = await service.post('made_answer_templates/', body);
      expect(refused.status).to.equal(400);
      expect(refused.body.__all__[0]).to.include('already exists');
    });

    it('may stay pending until somebody answers, whatever the dispatcher looks at', async () => {
      const id = await launched('made_answer', 'question');
      const other = await launched('made_answer', 'question');
      const busy = await launched('made_task', 'busy');
      open(busy);
      await ended('made_task', busy);
      expect(await run('made_answer', id)).to.include({ status: 'pending', started: null });
      expect((await service.post(`made_answers/${id}/answer/`, {}, as('runner'))).status).to.equal(204);
      expect(await run('made_answer', id)).to.include({ status: 'successful', job_explanation: 'Answered.' });
      expect((await service.post(`made_answers/${other}/cancel/`)).status).to.equal(202);
      expect((await run('made_answer', other)).status).to.equal('canceled');
      expect((await service.get('activity_stream/?object1=made_answer')).body.count).to.equal(0);
    });
  });

  async function listen(kind: string, id: number): Promise<WebSocket> {
    const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`;
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/websocket/`, { headers: { authorization } });
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await new Promise((done, failed) => {
      socket.once('open', done);
      socket.once('error', failed);
    });
    socket.send(JSON.stringify({ groups: { jobs: ['status_changed'], [`${kind}_events`]: [id] } }));
    await until(() => messages.some((one) => one.groups_joined?.includes(`${kind}_events-${id}`)));
    return socket;
  }
});
