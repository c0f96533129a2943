import { expect } from 'chai';
import { type Api, startApi } from '../support/api.ts';

describe('/api/docs/', () => {
  let api: Api;
  before(async () => (api = await startApi()));
  after(() => api.stop());

  it('shows the page to who is logged in, and sends others to the login', async () => {
    const { status, headers, text } = await api.admin('GET', '/api/docs/', undefined, { accept: 'text/html' });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(text).to.include('<title>Tapline API</title>');
    const stranger = await api.as()('GET', '/api/docs/');
    expect(stranger.status).to.equal(302);
    expect(stranger.headers.get('location')).to.equal('/api/login/?next=/api/docs/');
  });

  it('is whole: everything that the page loads comes from us, and its policy lets nothing else in', async () => {
    const { text, headers } = await api.admin('GET', '/api/docs/');
    const policy = headers.get('content-security-policy')!;
    expect(policy).to.include("default-src 'none'").and.to.include("script-src 'self';");
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(loaded).to.have.lengthOf(3);
    for (const address of loaded) {
      const answer = await api.as()('GET', address);
      expect(answer.status, address).to.equal(200);
      expect(answer.headers.get('content-type')).to.match(/^text\/(css|javascript)/);
      expect(answer.headers.get('cache-control')).to.equal('public, max-age=86400');
      expect(answer.text.length, address).to.be.greaterThan(300);
    }
    expect(text).not.to.match(/<script>|style=|\son\w+=/);
    expect((await api.as()('GET', '/api/docs/start.js/')).text).to.include("url: '/api/v2/openapi.json'");
  });

  it('serves no other files', async () => {
    for (const name of ['package.json', '..%2f..%2fpackage.json', '__proto__', 'index.html'])
      expect((await api.as()('GET', `/api/docs/${name}/`)).status, name).to.equal(404);
  });

  it('is linked from the entry document and from the description', async () => {
    expect((await api.as()('GET', '/api/')).body.documentation).to.equal('/api/docs/');
    expect((await api.admin('GET', '/api/v2/openapi.json')).body.externalDocs.url).to.equal('/api/docs/');
  });
});
