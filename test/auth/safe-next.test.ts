import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { expect } from 'chai';
import { safeNext } from '../../core/http/auth/safe-next.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { Browser } from './browser.ts';

const hostile = [
  'http://evil.example/',
  'https:evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '\t//evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/./\\evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '',
  ' //evil.example',
  '/\r\nSet-Cookie: a=b',
  '/\u0000x',
  `/${'x'.repeat(3000)}`,
  '/\ud800',
  'api/v2/',
  '?x',
  '#x',
];

describe('where a login leads', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ TAPLINE_ROLES: 'web' });
  });
  after(() => service?.stop());

  for (const next of hostile) {
    it(`is the entry page instead of ${JSON.stringify(next.slice(0, 40))}`, () => {
      expect(safeNext(next)).to.equal('/api/');
    });
  }

  it('is a path of this host, its query and fragment included', () => {
    for (const next of ['/', '/api/v2/jobs/?status=failed&next=//x', '/#/jobs', '/a%2F%2Fb', '/x@y:1/'])
      expect(safeNext(next)).to.equal(next);
    expect(safeNext('/ä b')).to.equal('/%C3%A4%20b');
    for (const none of [undefined, null, 5, ['/x'], {}]) expect(safeNext(none)).to.equal('/api/');
  });

  it('holds over HTTP: never another host, never a header from outside', async () => {
    const secrets = { username: 'admin', password: adminPassword };
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      '/.//evil.example',
      '/x\r\nX-Injected: 1',
      'https://evil.example',
    ]) {
      const browser = new Browser(service.url);
      await browser.get('/api/');
      const page = await browser.send('POST', '/api/login/', {
        form: { ...secrets, next },
        headers: { 'x-csrftoken': browser.csrf },
      });
      expect([page.status, page.location, page.headers['x-injected']], JSON.stringify(next)).to.deep.equal([
        302,
        '/api/',
        undefined,
      ]);
      const json = await new Browser(service.url).send('POST', '/api/login/', { json: { ...secrets, next } });
      expect(json.location, JSON.stringify(next)).to.equal('/api/');
      const shown = await browser.get(`/api/login/?next=${encodeURIComponent(next)}`);
      expect(shown.text, JSON.stringify(next)).to.not.include('evil').and.not.include('Injected');
    }
  });

  it('puts nothing of a user name into the headers or, unescaped, into the log', async () => {
    const page = await new Browser(service.url).login('x\r\nX-Injected: 1', 'y');
    expect([page.status, page.headers['x-injected']]).to.deep.equal([401, undefined]);
  });

  it('holds for the redirect to the final slash as well: this host, and no header from outside', async () => {
    const targets = {
      '/api/v2/organizations?next=//evil.example': '/api/v2/organizations/?next=//evil.example',
      '/api/v2/organizations?x=%0d%0aX-Injected:%201': '/api/v2/organizations/?x=%0d%0aX-Injected:%201',
      '/api/login?next=https://evil.example': '/api/login/?next=https://evil.example',
      '//evil.example/api/v2/organizations': undefined,
      '/api//evil.example': undefined,
      '/api/v2//evil.example/organizations': undefined,
      '/api/v2/organizations%0d%0aX-Injected:%201': undefined,
      // a name as good as any: what matters is how it begins
      '/api/v2/organizations/\\evil.example': '/api/v2/organizations/\\evil.example/',
      'http://evil.example/api/v2/organizations': '/api/v2/organizations/',
    };
    for (const [target, location] of Object.entries(targets)) {
      // as it stands: no client that tidies paths
      const sent = httpRequest({ port: new URL(service.url).port, path: target }).end();
      const [{ headers, statusCode }] = await once(sent, 'response');
      expect([headers.location, headers['x-injected']], target).to.deep.equal([location, undefined]);
      expect(statusCode, target).to.be.oneOf(location === undefined ? [400, 401, 404] : [301]);
    }
  });
});
