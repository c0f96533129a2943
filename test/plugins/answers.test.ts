import { authenticated, field } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { noteResource } from '../fixtures/plugins/sample/resources.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const answered: Record<string, unknown> = {
  true: { count: 1, note: null },
  'of another type': { count: 'one', note: null },
  'without a key': { note: null },
  'with a key too many': { count: 1, note: null, secret: 1 },
};

const counter = testPlugin('counter', (api) => {
  api.route({
    path: '/api/v2/counter/:how/',
    access: { GET: authenticated, POST: authenticated },
    takes: { type: 'object', properties: { by: { type: 'integer' } }, required: ['by'] },
    answers: {
      GET: { fields: { count: field.integer(), note: field.string({ nullable: true }) } },
      POST: [{ status: 202, empty: true }, { media: 'text/plain' }],
    },
    handler: async ({ method, params, body }) => {
      if (method === 'GET') return { status: 200, body: answered[params.how!] };
      return body.by === 1 ? { status: 202 } : { status: 200, body: 'counted', type: 'text/plain' };
    },
  });
});

describe('what a route of a plugin says that it answers', function () {
  let service: TestService;
  before(async () => (service = await bootWith({ plugins: [counter], env: { TAPLINE_ROLES: 'web' } })));
  after(() => service.stop());

  const ask = (how: string) => service.get(`counter/${encodeURIComponent(how)}/`);
  const complaint = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('stands in the description of the API', async () => {
    const operations = (await service.get('openapi.json')).body.paths['/api/v2/counter/{how}/'];
    const { schema } = operations.get.responses[200].content['application/json'];
    expect(schema).to.deep.include({ type: 'object', required: ['count', 'note'] });
    expect(operations.post.responses).to.have.all.keys('200', '202', '400', 'default');
    expect(operations.post.responses[200].content).to.have.all.keys('text/plain');
    expect(operations.post.requestBody.content['application/json'].schema.required).to.deep.equal(['by']);
  });

  it('is what tests hold every answer to', async () => {
    expect((await ask('true')).body).to.deep.equal(answered.true);
    const where = 'GET /api/v2/counter/{how}/ → 200:';
    expect(await complaint(ask('of another type'))).to.include(`${where} /count must be integer, not "one"`);
    expect(await complaint(ask('without a key'))).to.include(`${where} the body must have required property 'count'`);
    expect(await complaint(ask('with a key too many'))).to.include(`${where} /secret is not described`);
  });

  it('holds for each status and media type, and for what a body needs', async () => {
    expect((await service.post('counter/x/', { by: 1 })).status).to.equal(202);
    expect((await service.post('counter/x/', { by: 2 })).body).to.equal('counted');
    expect(await complaint(service.post('counter/x/', {}))).to.include("must have required property 'by'");
  });
});

describe('what an action of a list says that it answers', function () {
  let service: TestService;
  const sample = testPlugin(
    'sample',
    (api) =>
      api.resource({
        ...noteResource(api),
        listActions: {
          export: {
            access: { GET: authenticated },
            lists: 'sample_note',
            answers: { GET: { media: 'text/csv' } },
            async handler(call) {
              const { body } = await call.list('sample_note');
              return { status: 200, type: 'text/csv', body: (body as any).results.map(({ name }: any) => name).join() };
            },
          },
        },
      }),
    { migrations: new URL('../fixtures/plugins/sample/migrations/', import.meta.url) },
  );
  before(async () => (service = await bootWith({ plugins: [sample], env: { TAPLINE_ROLES: 'web' } })));
  after(() => service.stop());

  it('is its media type, and the query of the list that it takes', async () => {
    const { body } = await service.request('OPTIONS', 'sample_notes/export/');
    expect(body).to.deep.include({ renders: ['text/csv'], search_fields: ['name'], max_page_size: 200 });
    const { get } = (await service.get('openapi.json')).body.paths['/api/v2/sample_notes/export/'];
    expect(get.parameters.map(({ name }: any) => name)).to.deep.equal(['page', 'page_size', 'search', 'order_by']);
    expect(get.responses[200].content).to.have.all.keys('text/csv');
    const answer = await service.get('sample_notes/export/?search=x&name__startswith=x&page_size=5');
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
  });
});
