import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Route } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { everybody } from '../../core/rbac/rules.ts';
import { openStage, type Stage } from '../engine/stage.ts';
import { widgetResources, widgetSql } from '../engine/widgets.ts';
import { until } from '../support/until.ts';

let aborted = false;
const waited = Promise.withResolvers<void>();
const routes: Route[] = [
  {
    path: '/api/v2/broken/',
    access: { GET: everybody },
    handler: async () => {
      throw new Error('the secret reason');
    },
  },
  {
    path: '/api/v2/slow/',
    access: { GET: everybody },
    handler: ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve({ status: 200, body: {} });
        });
        waited.resolve();
      }),
  },
];

/** What the server sends to raw bytes; it must end the connection itself. */
async function raw(stage: Stage, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(stage.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk)).on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

describe('HTTP', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(widgetResources, {
      sql: widgetSql,
      routes,
      http: { requestTimeoutMs: 1000, bodyLimit: '1mb' },
    });
  });
  after(() => stage.close());

  describe('headers', () => {
    it('names request, node, product and time on every answer, the version to users only', async () => {
      for (const [path, as] of [
        ['widgets/', 'admin'],
        ['widgets/', null],
        ['nosuch/', null],
        ['broken/', null],
        ['widgets/', 'nobody'],
      ] as const) {
        const { headers } = await stage.get(path, as);
        expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
        expect(headers.get('x-api-request-id')).to.equal(headers.get('x-request-id'));
        expect(headers.get('x-api-node')).to.equal('stage');
        expect(headers.get('x-api-product-name')).to.equal('Tapline');
        expect(headers.get('x-api-time')).to.match(/^\d+\.\d{3}s$/);
        expect(headers.get('x-api-total-time')).to.match(/^\d+\.\d{3}s$/);
        expect(headers.get('x-api-product-version')).to.equal(as ? '1.2.3' : null);
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('x-powered-by')).to.equal(null);
      }
    });

    it('keeps a sane request id and replaces any other', async () => {
      const id = async (given: string) =>
        (await stage.send('GET', 'widgets/', undefined, { headers: { 'x-request-id': given } })).headers.get(
          'x-request-id',
        );
      expect(await id('trace-1234:abc')).to.equal('trace-1234:abc');
      for (const given of ['short', 'x'.repeat(200), 'has blanks in it', '<script>alert(1)</script>'])
        expect(await id(given)).to.match(/^[0-9a-f-]{36}$/);
    });

    it('HEAD answers as GET without the body', async () => {
      const { status, headers, body } = await stage.send('HEAD', 'widgets/');
      expect([status, body]).to.deep.equal([200, '']);
      expect(Number(headers.get('content-length'))).to.be.greaterThan(0);
    });
  });

  describe('paths', () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      it(`sends ${method} without the final slash on, with its query`, async () => {
        for (const path of ['widgets?a=1&b=%20x', 'widgets/5?a=1', 'widgets/5/tags?x=1']) {
          const { status, headers } = await stage.send(method, path);
          expect([status, headers.get('location')]).to.deep.equal([301, `/api/v2/${path.replace('?', '/?')}`]);
        }
      });
    }

    for (const path of [
      '/api/v2/nosuch/',
      '/api/v2/nosuch',
      '/api/v3/',
      '/api/gateway/v1/tokens/',
      '/o/token/',
      '/nosuch',
      '/',
      '/api/v2/widgets/1/nosuch/',
      '/api/v2/Widgets/',
      '//evil.example/api/v2/widgets',
      '/api/v2/widgets//',
    ]) {
      it(`answers ${path} with 404 JSON, whoever asks`, async () => {
        for (const method of ['GET', 'POST']) {
          const { status, body } = await stage.send(method, path, undefined, { as: null });
          expect(status).to.equal(404);
          expect(body.detail).to.be.a('string');
        }
      });
    }
  });

  describe('negotiation', () => {
    const accept = (value: string, path = 'widgets/') =>
      stage.send('GET', path, undefined, { headers: { accept: value } });

    for (const value of [
      '*/*',
      'application/json',
      'application/*',
      'text/html,application/xhtml+xml,*/*;q=0.8',
      'application/json; q=0.5',
      'text/html',
    ]) {
      it(`serves JSON to Accept: ${value}`, async () => {
        const { status, headers } = await accept(value);
        expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/json; charset=utf-8']);
      });
    }
    for (const value of ['image/png', 'application/xml', 'text/csv']) {
      it(`answers 406 to Accept: ${value}`, async () => {
        const { status, body } = await accept(value);
        expect([status, Object.keys(body)]).to.deep.equal([406, ['detail']]);
      });
    }

    it('knows the formats json and api, and answers 404 to others', async () => {
      expect((await stage.get('widgets/?format=json')).status).to.equal(200);
      expect((await stage.get('widgets/?format=api')).status).to.equal(200);
      expect((await stage.get('widgets/?format=nosuch')).status).to.equal(404);
      expect((await stage.get('widgets/?format=txt')).status).to.equal(404);
    });

    it('speaks problem+json to those who ask for it', async () => {
      const { status, headers, body } = await stage.send(
        'POST',
        'widgets/',
        { size: 'x' },
        { headers: { accept: 'application/problem+json' } },
      );
      expect([status, headers.get('content-type')]).to.deep.equal([400, 'application/problem+json']);
      expect(body).to.include({ status: 400, title: 'Bad Request', code: 'bad_request', instance: '/api/v2/widgets/' });
      expect(body.errors.size).to.deep.equal(['A valid integer is required.']);
      expect(body.request_id).to.equal(headers.get('x-request-id'));
      expect((await accept('application/problem+json', 'widgets/99/')).body).to.include({
        status: 404,
        detail: 'No Widget matches the given query.',
      });
    });
  });

  describe('bodies', () => {
    const post = (body: string | Uint8Array, headers: Record<string, string>) =>
      stage.send('POST', 'tags/', body, { headers });

    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      '',
    ]) {
      it(`refuses ${type || 'a body without type'} with 415`, async () => {
        expect((await post('{"name":"t"}', { 'content-type': type })).status).to.equal(415);
      });
    }

    it('takes no body at all as an empty object, whatever its type', async () => {
      for (const headers of [{}, { 'content-type': 'text/plain' }] as Record<string, string>[]) {
        expect((await stage.send('POST', 'tags/', undefined, { headers })).body).to.deep.equal({
          name: ['This field is required.'],
        });
      }
    });

    it('refuses more than the limit, plain or unpacked, with 413', async () => {
      const large = JSON.stringify({ name: 'x'.repeat(1_200_000) });
      expect((await post(large, {})).status).to.equal(413);
      expect((await post(gzipSync(large), { 'content-encoding': 'gzip' })).status).to.equal(413);
      expect((await post(gzipSync('{"name":"zipped"}'), { 'content-encoding': 'gzip' })).status).to.equal(201);
      expect((await post('not gzip', { 'content-encoding': 'gzip' })).status).to.equal(400);
      expect((await post('{}', { 'content-encoding': 'nosuch' })).status).to.equal(415);
    });

    it('gives up on a body that stalls, with 408', async () => {
      const answer = await raw(
        stage,
        'POST /api/v2/tags/ HTTP/1.1\r\nHost: x\r\nX-Caller: admin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
      );
      expect(answer).to.match(/^HTTP\/1.1 408 /);
    });

    it('survives a body that is cut off', async () => {
      const socket = connect(Number(new URL(stage.url).port), '127.0.0.1');
      socket
        .end(
          'POST /api/v2/tags/ HTTP/1.1\r\nHost: x\r\nX-Caller: admin\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
        )
        .on('error', () => undefined)
        .resume();
      await once(socket, 'close');
      expect((await stage.get('tags/')).status).to.equal(200);
    });
  });

  describe('trouble', () => {
    it('tells nothing of an unexpected error', async () => {
      const { status, body } = await stage.get('broken/');
      expect(status).to.equal(500);
      expect(body).to.deep.equal({ detail: 'A server error occurred.' });
    });

    for (const [name, bytes, status] of [
      ['what is no HTTP', 'hello\r\n\r\n', 400],
      ['headers without end', `GET /api/ HTTP/1.1\r\nHost: x\r\nX-Big: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
      [
        'two lengths',
        'POST /api/v2/tags/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
        400,
      ],
      [
        'a length and chunks',
        'POST /api/v2/tags/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        400,
      ],
      [
        'a broken chunk',
        'POST /api/v2/tags/ HTTP/1.1\r\nHost: x\r\nX-Caller: admin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n',
        400,
      ],
      ['headers that stall', 'GET /api/ HTTP/1.1\r\nHost: x\r\n', 408],
    ] as const) {
      it(`answers ${name} with ${status}`, async () => {
        expect(await raw(stage, bytes)).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      });
    }

    it('tells the handler that its client has gone', async () => {
      const controller = new AbortController();
      const request = fetch(`${stage.url}/api/v2/slow/`, { signal: controller.signal }).catch(() => undefined);
      await waited.promise;
      controller.abort();
      await request;
      await until(() => aborted);
      expect(aborted).to.equal(true);
    });
  });
});
