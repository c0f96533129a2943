import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import Koa from 'koa';
import { answerErrors } from '../../core/http/errors.ts';
import { createPages } from '../../core/http/pages.ts';
import { silentLog } from '../support/log.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const script = `console.log(${JSON.stringify('x'.repeat(2000))});\n`;
const importMap = '{ "imports": { "a": "/a.js" } }';
const hashedName = 'assets/index-BYxq3k0_.js';

/** Raw, since clients clean up paths before they send them. */
async function raw(port: number, path: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

describe('pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-pages-'));
  const built = join(folder, 'dist');
  const portal = join(folder, 'portal');
  let server: Server;
  let port: number;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}${path}`, { method, headers, redirect: 'manual' });

  before(async () => {
    mkdirSync(join(built, 'assets'), { recursive: true });
    mkdirSync(portal);
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    writeFileSync(join(built, 'index.html'), '<!doctype html><title>Console</title>');
    writeFileSync(
      join(built, 'mapped.html'),
      `<!doctype html><script type="importmap">${importMap}</script><script>1</script>`,
    );
    writeFileSync(join(built, hashedName), script);
    writeFileSync(join(built, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(join(built, 'page-settings.js'), script);
    writeFileSync(join(built, '.hidden'), 'secret');
    symlinkSync(join(folder, 'secret.txt'), join(built, 'link.txt'));
    symlinkSync(folder, join(built, 'up'));
    writeFileSync(join(portal, 'start.html'), '<!doctype html><title>Portal</title>');
    const app = new Koa();
    app.use(answerErrors({ log: silentLog }));
    app.use(
      createPages([
        { path: '/', folder: pathToFileURL(`${built}/`) },
        { path: '/portal', folder: pathToFileURL(`${portal}/`), fallback: 'start.html' },
      ]).serve,
    );
    app.use((ctx) => {
      ctx.status = 404;
      ctx.body = { detail: 'next' };
    });
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.close();
    removeFolder(folder);
  });

  it('let a page say by which names modules are known, and run nothing else that stands in it', async () => {
    const policy = (await get('/mapped.html')).headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(importMap).digest('base64');
    expect(policy.split('; ')).to.include(`script-src 'self' 'sha256-${hash}'`);
    expect((await get('/')).headers.get('content-security-policy')).to.include("script-src 'self';");
  });

  it('serves the page at its path with a policy that lets only its own files run', async () => {
    const answer = await get('/', { accept: 'text/html' });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).to.equal('no-cache');
    const policy = answer.headers.get('content-security-policy');
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self'").and.not.include('unsafe');
    expect(await answer.text()).to.include('Console');
  });

  it('lets files whose name changes with their content be kept for ever', async () => {
    const answer = await get(`/${hashedName}`);
    expect(answer.headers.get('content-type')).to.match(/^text\/javascript/);
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    for (const name of ['icon.svg', 'page-settings.js'])
      expect((await get(`/${name}`)).headers.get('cache-control')).to.equal('no-cache');
  });

  it('answers 304 to whoever has the content already, by a strong tag for each encoding', async () => {
    const tags = new Set<string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const first = await get(`/${hashedName}`, { 'accept-encoding': encoding });
      expect(await first.text()).to.equal(script);
      expect(first.headers.get('content-encoding')).to.equal(encoding === 'identity' ? null : encoding);
      const tag = first.headers.get('etag')!;
      expect(tag).to.match(/^"[\w-]+"$/);
      tags.add(tag);
      // without the last header, fetch would add `no-cache` and so ask for all of it again
      const has = { 'if-none-match': `"other", ${tag}`, 'cache-control': 'max-age=0' };
      const again = await get(`/${hashedName}`, { 'accept-encoding': encoding, ...has });
      expect(again.status).to.equal(304);
      expect(await again.text()).to.equal('');
    }
    expect(tags.size).to.equal(3);
  });

  it('answers HEAD with the headers of GET and nothing else; other methods with 405', async () => {
    const head = await get('/', {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).to.deep.equal([200, '37', '']);
    const post = await get('/', {}, 'POST');
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    expect((await get('/unknown', { accept: 'text/html' }, 'DELETE')).status).to.equal(404);
  });

  it('answers the page on paths that only the page knows, to those who ask for HTML', async () => {
    expect(await (await get('/jobs/5', { accept: 'text/html,*/*' })).text()).to.include('Console');
    expect(await (await get('/portal/mine', { accept: 'text/html' })).text()).to.include('Portal');
    expect(await (await get('/portal/', { accept: 'text/html' })).text()).to.include('Portal');
    expect(await (await get('/portals', { accept: 'text/html' })).text()).to.include('Console');
    expect((await get('/assets/gone-12345678.js', { accept: '*/*' })).status).to.equal(404);
  });

  it('sends whoever leaves out the final slash of its path there, so that relative links lead below it', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await get('/portal?a=1', { accept: 'text/html' }, method);
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([308, '/portal/?a=1']);
    }
    expect((await get('/portal', {}, 'POST')).status).to.equal(405);
  });

  it('leaves the paths of the service alone', async () => {
    for (const path of ['/api', '/api/v2/nosuch/', '/sso/login/', '/websocket/', '/healthz', '/readyz', '/metrics'])
      expect((await get(path, { accept: 'text/html' })).status, path).to.equal(404);
    expect((await get('/apiary', { accept: 'text/html' })).status).to.equal(200);
  });

  it('shows nothing outside its folder, behind symbolic links or hidden', async () => {
    const paths = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/../../secret.txt',
      '//secret.txt',
    ];
    const inside = ['/link.txt', '/up/secret.txt', '/.hidden', '/%00', '/%', '/assets', '/..\\secret.txt'];
    for (const path of [...paths, ...inside]) expect(await raw(port, path), path).to.not.match(/\r\n\r\nsecret/);
  });

  it('refuses folders without a page, paths of the API and two folders at one path', () => {
    const at = (path: string) => ({ path, folder: pathToFileURL(`${built}/`) });
    expect(() => createPages([{ path: '/', folder: pathToFileURL(`${folder}/`) }])).to.throw(/build the pages first/);
    expect(() => createPages([at('/api/v2')])).to.throw('nothing can be served at /api/v2');
    expect(() => createPages([at('/x'), at('/x/')])).to.throw('two folders are to be served at /x/');
    expect(() => createPages([{ ...at('/x'), browse: 'api.html' }])).to.throw(/api\.html is missing/);
    const browsers = [at('/x'), at('/y')].map((pages) => ({ ...pages, browse: 'index.html' }));
    expect(() => createPages(browsers)).to.throw('two plugins have a page for paths of the API');
  });
});
