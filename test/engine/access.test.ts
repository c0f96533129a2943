import { defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { compileResources } from '../../core/descriptors/compile.ts';
import { superuser } from '../../core/rbac/rules.ts';
import { silentLog } from '../support/log.ts';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

describe('Access and routes', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    await stage.db('makers').insert([{ name: 'Acme' }, { name: 'A/b ++[+]c' }]);
    await stage.db('widgets').insert([{ name: 'w', maker_id: 1 }, { name: 'w' }]);
  });
  after(() => stage.close());

  it('401 comes first, also for unknown rows and methods', async () => {
    for (const [method, path] of [
      ['GET', 'widgets/'],
      ['POST', 'widgets/'],
      ['GET', 'widgets/999/'],
      ['TRACE', 'widgets/'],
      ['OPTIONS', 'widgets/'],
      ['HEAD', 'widgets/'],
    ] as const) {
      if (method === 'TRACE') continue;
      const { status, headers } = await stage.send(method, path, undefined, { as: null });
      expect(status, `${method} ${path}`).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="api"');
    }
  });

  it('a read-only caller reads, and changes nothing', async () => {
    expect((await stage.get('widgets/', 'reader')).status).to.equal(200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await stage.send(method, 'widgets/1/', undefined, { as: 'reader' })).status).to.equal(403);
  });

  it('405 with Allow comes before 404', async () => {
    const { status, headers, body } = await stage.send('POST', 'widgets/999/', {});
    expect(status).to.equal(405);
    expect(headers.get('allow')).to.equal('GET, PUT, PATCH, DELETE, HEAD, OPTIONS');
    expect(body).to.deep.equal({ detail: 'Method "POST" not allowed.' });
    expect((await stage.send('DELETE', 'widgets/')).headers.get('allow')).to.equal('GET, POST, HEAD, OPTIONS');
  });

  it('404 for what the caller may not see, 403 for what it may see but not do, before any 400', async () => {
    expect((await stage.get('makers/1/', 'nobody')).status).to.equal(404);
    expect((await stage.get('makers/', 'nobody')).body.count).to.equal(0);
    expect((await stage.send('PATCH', 'widgets/1/', '{"size":', { as: 'nobody' })).status).to.equal(403);
    expect(
      (await stage.send('PATCH', 'widgets/1/', 'x', { as: 'nobody', headers: { 'content-type': 'text/plain' } }))
        .status,
    ).to.equal(403);
    expect((await stage.send('DELETE', 'widgets/1/', undefined, { as: 'nobody' })).status).to.equal(403);
    expect((await stage.send('POST', 'widgets/', { size: 'x' }, { as: 'nobody' })).status).to.equal(403);
    expect((await stage.get('widgets/1/locked/')).status).to.equal(403);
    expect((await stage.get('widgets/99/locked/')).status).to.equal(404);
  });

  for (const id of [
    '0',
    '-1',
    '1.0',
    '01',
    'x',
    '99999999999999999999',
    '%00',
    '%E0%A4%A',
    '1;',
    '..%2f',
    '__proto__',
    'constructor',
    '%F0%9F%98%80',
  ]) {
    it(`answers 404 to the id ${id}`, async () => {
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect((await stage.send(method, `widgets/${id}/`)).status, method).to.equal(404);
    });
  }

  it('finds rows by name, sublists and actions too', async () => {
    expect((await stage.get('makers/Acme/')).body.id).to.equal(1);
    expect((await stage.get('makers/Acme/widgets/')).body.count).to.equal(1);
    expect((await stage.get(`makers/${encodeURIComponent('A/b [+][+][[+]]c')}/`)).body.id).to.equal(2);
    expect((await stage.get('widgets/w++Acme/')).body.id).to.equal(1);
    expect((await stage.get('widgets/w++/')).body.id).to.equal(2);
    expect((await stage.get('widgets/w++Nope/')).status).to.equal(404);
    expect((await stage.get('widgets/w++Acme++x/')).status).to.equal(404);
    expect((await stage.get('makers/Acme/', 'nobody')).status).to.equal(404);
    expect((await stage.send('POST', 'widgets/w++Acme/paint/', { a: 1 })).body).to.deep.equal({
      method: 'POST',
      body: { a: 1 },
      id: 1,
    });
  });

  it('runs actions of rows and of lists under their own rules', async () => {
    expect((await stage.get('widgets/totals/')).body).to.deep.equal({ total: 1 });
    expect((await stage.get('widgets/1/paint/', 'nobody')).status).to.equal(200);
    expect((await stage.send('POST', 'widgets/1/paint/', {}, { as: 'nobody' })).status).to.equal(403);
    expect((await stage.send('PUT', 'widgets/1/paint/', {})).headers.get('allow')).to.equal('GET, POST, HEAD, OPTIONS');
    const quiet = await stage.send('GET', 'widgets/1/quiet/?format=txt', undefined, {
      headers: { accept: 'text/plain' },
    });
    expect([quiet.status, quiet.body, quiet.headers.get('content-type')]).to.deep.equal([
      200,
      'hush',
      'text/plain; charset=utf-8',
    ]);
  });

  it('answers OPTIONS with Allow, also for a row that is not there', async () => {
    for (const path of ['widgets/', 'widgets/99/', 'widgets/99/paint/', 'widgets/99/tags/']) {
      const { status, headers } = await stage.send('OPTIONS', path);
      expect(status).to.equal(200);
      expect(headers.get('allow')).to.match(/^GET, .*HEAD, OPTIONS$/);
    }
  });

  describe('what cannot work fails at the start', () => {
    const broken: [string, Partial<Resource>, RegExp][] = [
      ['no table', { table: 'nosuch' }, /no table nosuch/],
      ['no column', { fields: { nosuch: field.string() } }, /nosuch/],
      ['a method without a rule', { methods: { list: ['POST'] } }, /offers POST but states no access/],
      [
        'a writable sublist without a rule',
        { sublists: { tags: { resource: 'maker', column: 'owner_id', create: true } } },
        /who may change it/,
      ],
      [
        'an action without a rule',
        { actions: { go: { access: { GET: undefined as never }, handler: async () => ({ status: 200 }) } } },
        /does not state its access/,
      ],
      [
        'an action without any method',
        { actions: { go: { access: {}, handler: async () => ({ status: 200 }) } } },
        /no method with an access rule/,
      ],
      ['a path that is taken', { path: 'users' }, /declared twice/],
    ];
    for (const [name, part, message] of broken) {
      it(name, async () => {
        const resource = defineResource({
          type: 'maker',
          path: 'makers',
          table: 'makers',
          label: 'Maker',
          fields: {},
          access: { see: superuser },
          orderBy: ['id'],
          ...part,
        });
        const resources = [widgetResources.find(({ type }) => type === 'user')!, resource];
        const error = await compileResources({ db: stage.db, log: silentLog, resources }).then(
          () => undefined,
          (thrown: Error) => thrown,
        );
        expect(error?.message).to.match(message);
      });
    }

    it('a resource without any rule', () => {
      expect(() => defineResource({ ...widgetResources[0]!, access: {} as never })).to.throw(/access.see is missing/);
    });
  });
});
