import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { ApiError, type PluginApi, superuser } from '@tapline/plugin-sdk';
import { noteResource } from '../fixtures/plugins/sample/resources.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const migrations = new URL('../fixtures/plugins/sample/migrations/', import.meta.url);

describe('what a plugin adds to the API', function () {
  let service: TestService;
  let api: PluginApi;
  let organization: number;
  let refuse: string | undefined;
  let health: () => any = () => ({ status: 'ok' });

  before(async () => {
    const sample = testPlugin(
      'sample',
      (door) => {
        api = door;
        door.resource(noteResource(door));
        door.permissions.define('sample.acknowledge', superuser);
        door.guard('sample_note', 'create', ({ rows, count }) => {
          if (refuse) throw new ApiError(409, `${refuse}: ${count} of ${rows.map(({ name }) => name).join()}`);
        });
        door.guard('organization', 'delete', ({ rows }) => {
          if (rows[0].name === 'protected') throw new ApiError(409, 'This one stays.');
        });
        door.restrict('organization', {
          row: async (_actor, row) => row.name !== 'hidden',
          query: (_actor, builder, alias) => void builder.whereNot(`${alias}.name`, 'hidden'),
        });
        for (const type of ['organization', 'sample_note'])
          door.restrict(type, {
            row: async (actor, row) => actor?.username !== 'shut-out' || !String(row['name']).startsWith('closed'),
            query: (actor, builder, alias) =>
              void (actor?.username === 'shut-out' ? builder.whereNot(`${alias}.name`, 'like', 'closed%') : builder),
          });
        door.nav({ path: '/notes', label: 'Notes', order: 350, section: 'Resources' });
        door.nav({ path: '/first', label: 'First', order: 50 });
        door.health(() => health());
        door.insights.provide('sample.notes', () => 3);
        door.offer('sample.point', { kind: 'a' });
      },
      { migrations, title: 'Sample notes', description: 'Keeps notes.' },
    );
    const reader = testPlugin('reader', (door) => {
      door.offer('sample.point', { kind: 'b' });
      door.insights.provide('reader.broken', () => {
        throw new Error('broken');
      });
      door.insights.provide('reader.odd', () => 'seven');
    });
    service = await bootWith({ plugins: [sample, reader] });
    organization = (await service.post('organizations/', { name: 'o' })).body.id;
  });
  after(() => service.stop());

  it('serves its resource like one of core: lists, filters, writes, unique names', async () => {
    const made = await service.post('sample_notes/', { name: 'n', text: 't', organization });
    expect(made.status).to.equal(201);
    expect(made.body).to.include({
      type: 'sample_note',
      name: 'n',
      organization,
      url: `/api/v2/sample_notes/${made.body.id}/`,
    });
    expect(made.body.summary_fields.organization).to.include({ name: 'o' });
    expect(made.body.summary_fields.user_capabilities).to.deep.equal({ edit: true, delete: true });
    expect(made.body.summary_fields.created_by).to.include({ username: 'admin' });
    expect((await service.post('sample_notes/', { name: 'n', organization })).body).to.deep.equal({
      name: ['There is a note of this name.'],
    });
    const found = await service.get('sample_notes/?organization__name=o&search=n');
    expect(found.body.results.map(({ name }: any) => name)).to.deep.equal(['n']);
    expect((await service.get('/api/v2/')).body).to.include({ sample_notes: '/api/v2/sample_notes/' });
    expect((await service.request('PATCH', made.body.url, { body: { text: 'u' } })).body.text).to.equal('u');
  });

  it("judges its rules over core's roles", async () => {
    const user = await service.post('users/', { username: 'reader', password: 'a reader password' });
    const auth = 'reader:a reader password';
    expect((await service.get('sample_notes/', { auth })).body.count).to.equal(0);
    const { object_roles: roles } = (await service.get(`organizations/${organization}/`)).body.summary_fields;
    await service.post(`roles/${roles.read_role.id}/users/`, { id: user.body.id });
    const { body } = await service.get('sample_notes/', { auth });
    expect(body.count).to.equal(1);
    expect(body.results[0].summary_fields.user_capabilities).to.deep.equal({ edit: false, delete: false });
    expect((await service.request('DELETE', body.results[0].url, { auth })).status).to.equal(403);
  });

  it('tells its changes in the activity stream', async () => {
    const { results } = (await service.get('sample_notes/')).body;
    const stream = await service.get(results[0].related.activity_stream);
    expect(stream.body.results.map(({ operation }: any) => operation)).to.deep.equal(['create', 'update']);
    expect(stream.body.results[0].summary_fields.sample_note[0]).to.include({ name: 'n' });
  });

  it('stands in the description of the API and in OPTIONS', async () => {
    const document = (await service.get('openapi.json')).body;
    expect(await new Validator().validate(structuredClone(document))).to.include({ valid: true });
    const { paths, components } = document;
    expect(paths).to.have.property('/api/v2/sample_notes/{id}/');
    expect(components.schemas).to.have.property('sample_note_create');
    expect((await service.request('OPTIONS', 'sample_notes/')).body.actions.POST).to.have.property('text');
  });

  it("refuses writes by its guards, on its own and on core's resources", async () => {
    refuse = 'Too many notes';
    const refused = await service.post('sample_notes/', { name: 'more', organization });
    refuse = undefined;
    expect([refused.status, refused.body.detail]).to.deep.equal([409, 'Too many notes: 1 of more']);
    expect((await service.get('sample_notes/?name=more')).body.count).to.equal(0);
    const kept = (await service.post('organizations/', { name: 'protected' })).body;
    expect((await service.request('DELETE', kept.url)).body).to.deep.equal({ detail: 'This one stays.' });
  });

  it('hides rows from everybody, superusers included', async () => {
    const hidden = await service.post('organizations/', { name: 'hidden' });
    expect((await service.get('organizations/?name=hidden')).body.count).to.equal(0);
    expect((await service.get(`organizations/${hidden.body.id ?? 0}/`)).status).to.equal(404);
  });

  it('explains the access to its resource, and what it hides itself', async () => {
    const shutOut = (await service.post('users/', { username: 'shut-out', password: 'a long password' })).body;
    const auth = 'shut-out:a long password';
    const closed = (await service.post('organizations/', { name: 'closed' })).body;
    const roles = closed.summary_fields.object_roles;
    await service.post(`roles/${roles.admin_role.id}/users/`, { id: shutOut.id });
    const notes = await Promise.all(
      ['closed note', 'open note'].map(
        async (name) => (await service.post('sample_notes/', { name, organization: closed.id })).body.url,
      ),
    );
    const rights = async (url: string) =>
      (await service.get(`${url}explain-access/?user=${shutOut.id}`)).body.rights as Record<string, any>;

    const open = await rights(notes[1]!);
    expect(open).to.have.keys('see', 'change', 'delete');
    expect(open.see.parts[0].by[0]).to.include({ resource_type: 'organization', resource_name: 'closed' });
    for (const [url, granted] of [
      [closed.url, false],
      [notes[0]!, false],
      [notes[1]!, true],
    ]) {
      const told = await rights(url);
      expect([told.see.granted, told.change.granted], url).to.deep.equal([granted, granted]);
      // its own part has nothing against it, and that of the plugin is named
      expect(told.see.parts[0].granted, url).to.equal(true);
      expect(told.see.parts.at(-1), url).to.include({ rule: 'sample', granted });
      expect((await service.get(url, { auth })).status, url).to.equal(granted ? 200 : 404);
      expect((await service.get(`${url}explain-access/`, { auth })).status, url).to.equal(granted ? 200 : 404);
    }
    // what no plugin narrows is told as it stands
    const { body } = await service.get(`users/${shutOut.id}/explain-access/`);
    expect(body.rights.change.rule).not.to.include('sample');
    expect((await service.get(`${notes[1]}explain-access/`, { auth: null })).status).to.equal(401);
    for (const url of [...notes, closed.url]) await service.request('DELETE', url);
  });

  it('adds to the navigation, in its order', async () => {
    expect((await service.get('navigation/')).body).to.deep.equal({
      count: 2,
      next: null,
      previous: null,
      results: [
        { path: '/first', label: 'First', order: 50, section: '', served: false, plugin: 'sample' },
        {
          path: '/notes',
          label: 'Notes',
          order: 350,
          section: 'Resources',

          served: false,
          plugin: 'sample',
        },
      ],
    });
    expect((await service.get('navigation/', { auth: null })).status).to.equal(401);
  });

  it('is shown with what it contributes and how it is', async () => {
    const { body } = await service.get('plugins/');
    expect(body.results.map(({ id }: any) => id)).to.deep.equal(['sample', 'reader']);
    expect(body.results[1].health).to.equal(null);
    const { body: one } = await service.get('plugins/sample/');
    expect(one).to.deep.include({
      type: 'plugin',
      title: 'Sample notes',
      description: 'Keeps notes.',
      version: '1.0.0',
      optional: false,
      state: 'on',
      health: { status: 'ok' },
    });
    expect(one.contributions).to.deep.include({
      resources: { count: 1, names: ['sample_notes'] },
      guards: { count: 2, names: ['sample_note create', 'organization delete'] },
      navigation: { count: 2, names: ['/notes', '/first'] },
      offers: { count: 1, names: ['sample.point a'] },
    });
    expect(one.contributions).not.to.have.property('tasks');
    expect((await service.get('plugins/nosuch/')).status).to.equal(404);
    expect((await service.get('plugins/', { auth: 'reader:a reader password' })).status).to.equal(403);
  });

  it('is told as failed when its health check throws, lies or says nothing', async () => {
    const shown = async () => (await service.get('plugins/sample/')).body.health;
    health = () => {
      throw new Error('no disk');
    };
    expect(await shown()).to.deep.equal({ status: 'failed', detail: 'no disk' });
    health = () => 'fine';
    expect((await shown()).status).to.equal('failed');
    health = () => new Promise(() => undefined);
    expect((await shown()).detail).to.match(/did not answer within/);
    const ready = await service.get('/readyz?verbose', { auth: null });
    expect(ready.status).to.equal(200);
    expect(ready.body).to.deep.include({ status: 'ok', plugins: { sample: 'failed' } });
    expect((await service.get('/readyz', { auth: null })).body).not.to.have.property('plugins');
  });

  it('gives others insights and implementations of points; failing ones count as the fallback', async () => {
    expect(await api.insights.read('sample.notes', 0)).to.equal(3);
    expect(await api.insights.read('nobody.provides', 0)).to.equal(0);
    expect(await api.insights.read('reader.broken', false)).to.equal(false);
    expect(await api.insights.read('reader.odd', 0)).to.equal(0);
    expect(api.use('sample.point')).to.deep.equal([{ kind: 'a' }, { kind: 'b' }]);
    expect(api.use('nobody.offers')).to.deep.equal([]);
  });

  it('has its tables, its log, its clock and the settings of core', async () => {
    expect(api.table('notes')).to.equal('plugin_sample.notes');
    expect(await api.db(api.table('notes')).pluck('name')).to.deep.equal(['n']);
    expect(Math.abs(api.clock.now().getTime() - Date.now())).to.be.lessThan(60_000);
    expect(api.settings.get('MAX_FORKS')).to.equal(200);
    expect(api.settings.get('NO_SUCH')).to.equal(undefined);
    const forks: number = api.settings.get('MAX_FORKS', 5);
    expect([forks, api.settings.get('NO_SUCH', 5), api.settings.get('MAX_FORKS', 'many')]).to.deep.equal([
      200,
      5,
      'many',
    ]);
    expect(() => api.log.info({ a: 1 }, 'told')).not.to.throw();
  });

  it('launches templates the way everybody does', async () => {
    const template = await api.db('templates').where({ kind: 'job_template' }).first();
    const actor = await api.db('users').where({ username: 'admin' }).first();
    const started = await api.launch.start({
      template: template.id,
      prompts: {},
      actor: { ...actor, via: 'system', read_only: false },
      origin: { kind: 'event', id: 5, client_ip: null },
      waiting: true,
    });
    const { body } = await service.get(`jobs/${started.id}/`);
    expect(body).to.include({ launch_type: 'webhook', unified_job_template: template.id });
    expect(body.summary_fields.created_by.username).to.equal('admin');
    const runs = async () => (await service.get('unified_jobs/')).body.count;
    const before = await runs();
    const { id } = (await service.post('users/', { username: 'onlooker', password: 'onlooker-password-1' })).body;
    const onlooker = { ...(await api.db('users').where({ id }).first()), via: 'system', read_only: false };
    const origin = { kind: 'event', id: 5, client_ip: null };
    for (const request of [{ actor: onlooker }, { actor: null, authority: onlooker }]) {
      const asked = { ...request, template: template.id, origin, waiting: false };
      for (const call of [api.launch.start, api.launch.check])
        expect(await call(asked).catch((error: ApiError) => error)).to.include({ status: 403 });
    }
    expect(await runs()).to.equal(before);
    const refused = await api.launch
      .start({
        template: template.id,
        prompts: { extra_vars: 7 },
        actor: null,
        origin: { kind: 'event', id: 5, client_ip: null },
        waiting: true,
      })
      .catch((error: ApiError) => error);
    expect(refused).to.be.instanceOf(ApiError).and.to.include({ status: 400 });
    const missing = await api.launch
      .start({ template: 0, actor: null, origin: { kind: 'event', id: 5, client_ip: null }, waiting: false })
      .catch((error: ApiError) => error);
    expect(missing).to.include({ status: 404 });
  });

  it('carries variables that nobody asked for, where the origin may, and checks a launch without launching', async () => {
    const template = await api.db('templates').where({ kind: 'job_template' }).first('id');
    const request = { template: template.id, actor: null, waiting: true, variables: { release: '1.4' } };
    const event = { kind: 'event', id: 5, client_ip: null };
    const { id, kind } = await api.launch.start({
      ...request,
      prompts: { extra_vars: { asked: 'no' } },
      origin: event,
    });
    expect(kind).to.equal('job');
    expect(JSON.parse((await service.get(`jobs/${id}/`)).body.extra_vars)).to.deep.equal({ release: '1.4' });
    const refused = await api.launch
      .start({ ...request, origin: { ...event, kind: 'api' } })
      .catch((error: ApiError) => error);
    expect(refused).to.be.instanceOf(ApiError).and.to.include({ status: 400 });
    const nobody = await api.launch
      .start({ ...request, origin: { ...event, kind: 'nobody' } })
      .catch((error: Error) => error);
    expect(String(nobody)).to.match(/no kind of origin is called nobody: declare it by api.origin/);
    const runs = async () => (await service.get('unified_jobs/')).body.count;
    const before = await runs();
    const wrong = { ...request, prompts: { inventory: 424_242, limit: 7 }, origin: event };
    expect(await api.launch.check(wrong)).to.have.keys('inventory');
    expect(await api.launch.check({ ...request, origin: event })).to.deep.equal({});
    expect(await runs()).to.equal(before);
    expect(await api.runs.cancel(id, null)).to.be.a('boolean');
  });

  it('writes down what was done in the activity stream, in the transaction of the change', async () => {
    const actor = { id: 1, username: 'admin' } as any;
    const object = { type: 'organization', id: organization, name: 'o' };
    await api.db.transaction((trx: any) =>
      api.audit.record({ action: 'sample.checked', actor, object, organization, changes: { by: 'hand' }, trx }),
    );
    await api.db
      .transaction(async (trx: any) => {
        await api.audit.record({ action: 'create', actor, object, trx });
        throw new Error('taken back');
      })
      .catch(() => undefined);
    const { body } = await service.get(`organizations/${organization}/activity_stream/?order_by=-id`);
    expect(body.results[0]).to.deep.include({ operation: 'update', changes: { action: 'sample.checked', by: 'hand' } });
    expect(body.results[0].summary_fields.actor.username).to.equal('admin');
  });
});
