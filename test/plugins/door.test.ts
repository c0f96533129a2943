import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { authenticated, everybody, field, type PluginApi, superuser } from '@tapline/plugin-sdk';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

describe('a plugin that is on', function () {
  let service: TestService;
  let door: PluginApi;
  const seen: string[] = [];

  before(async () => {
    service = await bootWith({
      plugins: [
        testPlugin('sample', (api) => {
          door = api;
          api.settings.define({
            key: 'SAMPLE_LIMIT',
            category: 'sample',
            type: 'integer',
            default: 3,
            help: 'A limit.',
          });
          api.route({
            path: '/api/v2/sample/',
            access: { GET: authenticated },
            handler: async () => ({ status: 200, body: { limit: api.settings.get('SAMPLE_LIMIT') } }),
          });
          api.route({
            path: '/sample-hook/:key/',
            summary: 'Takes what others send',
            access: { POST: everybody },
            body: { kind: 'raw', limitBytes: 10 },
            openapi: { POST: { 'x-sample': true } },
            handler: async ({ body, rawBody, headers, params }) => ({
              status: 202,
              body: { body, params, raw: rawBody?.toString('hex'), from: headers['x-from'], cookie: headers['cookie'] },
            }),
          });
          api.route({
            path: '/api/v2/sample/nothing/',
            access: { POST: authenticated },
            body: { kind: 'none' },
            fields: { count: field.integer({ required: true }) },
            handler: async ({ body, headers, rawBody }) => ({
              status: 200,
              body: { body, raw: rawBody === undefined, authorization: headers['authorization'] === undefined },
            }),
          });
          api.route({
            path: '/api/v2/sample/many/',
            access: { GET: authenticated, POST: authenticated, PATCH: superuser, DELETE: superuser },
            fields: { count: field.integer({ required: true, min: 1 }) },
            handler: async () => ({ status: 204 }),
          });
          api.onStart(() => void seen.push('start'));
          api.onStop(() => void seen.push('stop'));
        }),
      ],
      env: { TAPLINE_SAMPLE_LIMIT: '7' },
    });
  });
  after(async () => {
    await service.stop();
    expect(seen).to.deep.equal(['start', 'stop']);
  });

  it('serves its routes, inside the API and outside', async () => {
    expect((await service.get('sample/')).body).to.deep.equal({ limit: 7 });
    expect((await service.get('sample/', { auth: null })).status).to.equal(401);
    expect((await service.post('sample/nothing/', 'no {json', {})).body).to.deep.equal({
      body: {},
      raw: true,
      authorization: true,
    });
  });

  it('gets raw bodies byte by byte, up to their limit', async () => {
    const send = (body: any, headers = {}) =>
      service.request('POST', '/sample-hook/a%20b/', {
        body,
        auth: null,
        headers: { 'x-from': 'me', cookie: 'a=b', ...headers },
      });
    const answer = await send(new Uint8Array([0, 255, 10]));
    expect(answer.status).to.equal(202);
    expect(answer.body).to.deep.equal({ body: {}, params: { key: 'a b' }, raw: '00ff0a', from: 'me' });
    expect((await send('1234567890')).status).to.equal(202);
    expect((await send('12345678901')).status).to.equal(413);
    expect((await send('123', { 'content-encoding': 'gzip' })).status).to.equal(415);
    const unsaid = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 20; index += 1) controller.enqueue(new TextEncoder().encode('12345'));
        controller.close();
      },
    });
    const reply = await fetch(`${service.url}/sample-hook/x/`, {
      method: 'POST',
      body: unsaid,
      duplex: 'half',
    } as RequestInit);
    expect(reply.status).to.equal(413);
  });

  it('stands in the description of the API', async () => {
    const document = (await service.get('openapi.json')).body;
    expect(await new Validator().validate(structuredClone(document))).to.include({ valid: true });
    const { paths } = document;
    expect(paths['/sample-hook/{key}/'].post).to.deep.include({
      summary: 'Takes what others send',
      security: [],
      'x-sample': true,
    });
    expect(paths['/sample-hook/{key}/'].post.requestBody.content).to.have.property('*/*');
    expect(paths['/api/v2/sample/nothing/'].post.requestBody.content['application/json'].schema.required).to.deep.equal(
      ['count'],
    );
  });

  it('offers in OPTIONS what the caller may send, with its form', async () => {
    const actions = async (path: string, auth?: string | null) =>
      (await service.request('OPTIONS', path, { auth })).body.actions;
    const count = { type: 'integer', label: 'Count', help_text: '', min_value: 1, filterable: false };
    expect(await actions('/api/v2/sample/many/')).to.deep.equal({
      GET: {},
      POST: { count: { ...count, required: true } },
      PATCH: { count: { ...count, required: false } },
      DELETE: {},
    });
    const password = 'long enough 1';
    await service.post('users/', { username: 'plain', password });
    expect(Object.keys(await actions('/api/v2/sample/many/', `plain:${password}`))).to.deep.equal(['GET', 'POST']);
    const { body: token } = await service.post('tokens/', { scope: 'read' });
    expect(Object.keys(await actions('/api/v2/sample/many/', token.token))).to.deep.equal(['GET']);
    expect(await actions('/sample-hook/x/', null)).to.deep.equal({ POST: {} });
  });

  it('has a page of settings of its own', async () => {
    const { body } = await service.get('settings/');
    expect(body.results).to.deep.include({ url: '/api/v2/settings/sample/', slug: 'sample', name: 'Sample' });
    expect((await service.get('settings/sample/')).body).to.deep.equal({ SAMPLE_LIMIT: 7 });
  });

  it('cannot contribute any more', () => {
    expect(() => door.nav({ path: '/sample', label: 'Sample' })).to.throw(
      /^plugin sample: api\.nav\("\/sample"\) came too late: .*move the call there$/,
    );
  });
});
