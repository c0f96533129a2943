import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { methodNotAllowed, type Pages } from '@tapline/plugin-sdk';
import { pagesProblem, reservedForPrograms } from '@tapline/plugin-sdk/checks';
import type { Context, Middleware } from 'koa';

/** `index-BYxq3k0_.js`: the name changes with the content. That of `night-watching.js`, a mere word, does not. */
const hashed = /[-.](?=[\w-]*[A-Z\d_])[\w-]{8,}\.[a-z\d]+$/;
const compressible = /\.(?:html|js|css|svg|json|txt|webmanifest)$/;
/** Smaller ones fit one packet anyway. */
const worthCompressing = 1024;

/** `inline` are the sources of what stands in the page itself and may run. */
const policyOf = (inline: readonly string[]) =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/** Which names modules are known by cannot be said in a file of its own; no other script inside a page ever runs. */
const importMaps = /<script type="importmap">([^]*?)<\/script>/g;

const digest = (content: string | Buffer) => createHash('sha256').update(content);

interface PageFile {
  name: string;
  content: Buffer;
  /** of the content, so the same on every node and after every checkout */
  hash: string;
  /** of pages only */
  contentPolicy?: string;
  /** by encoding, made when first asked for */
  packed: Map<string, Promise<Buffer>>;
}

export interface PagesMiddleware {
  /** what lies outside of the API */
  serve: Middleware;
  /** a path of the API, for a browser that opened it; where a plugin has a page for that */
  browse?: (ctx: Context) => Promise<void>;
}

interface Mount {
  /** `/` or `/portal/` */
  path: string;
  fallback: string;
  /** read at the first request: a start should not wait for it */
  files: () => Map<string, PageFile>;
}

const packers: Record<string, (content: Buffer) => Promise<Buffer>> = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
};

/**
 * Serves folders of built files, to everybody. A request only ever looks up a name in the list of the folder's own
 * files, so no path and no symbolic link leads out of it. Koa itself knows types and conditional requests.
 * @throws Error where a folder has no fallback page, two share a path, or one lies on a path of the API
 */
export function createPages(pages: readonly Pages[]): PagesMiddleware {
  const mounts = pages.map(mountOf).toSorted((a, b) => b.path.length - a.path.length);
  for (const [i, { path }] of mounts.entries()) {
    if (mounts[i + 1]?.path === path) throw new Error(`pages: two folders are to be served at ${path}`);
  }
  const browsers = pages.filter(({ browse }) => browse !== undefined);
  if (browsers.length > 1) throw new Error('pages: two plugins have a page for paths of the API');
  const [browser] = browsers.map((one) => browserOf(mountOf(one), one.browse!));
  return { serve: serverOf(mounts), ...(browser && { browse: browser }) };
}

const browserOf =
  ({ files }: Mount, name: string) =>
  (ctx: Context) =>
    send(ctx, files().get(name)!);

function serverOf(mounts: readonly Mount[]): Middleware {
  return async (ctx, next) => {
    const mount = reservedForPrograms.test(ctx.path)
      ? undefined
      : mounts.find(({ path }) => `${ctx.path}/`.startsWith(path));
    const file = mount && fileOf(mount, ctx);
    if (!file) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, 'GET, HEAD');
    ctx.state.route = mount.path;
    // relative links in the page mean what is below its path
    if (ctx.path.length < mount.path.length) return redirect(ctx, `${mount.path}${ctx.search}`);
    await send(ctx, file);
  };
}

function redirect(ctx: Context, to: string): void {
  ctx.status = 308;
  ctx.set({ Location: to, 'Cache-Control': 'no-cache' });
}

function mountOf({ path, folder, fallback = 'index.html', browse }: Pages): Mount {
  const mounted = path.endsWith('/') ? path : `${path}/`;
  const problem = pagesProblem({ path, folder, fallback, ...(browse !== undefined && { browse }) });
  if (problem !== undefined) throw new Error(`pages at ${path}: ${problem}`);
  const root = fileURLToPath(folder);
  let files: Map<string, PageFile> | undefined;
  return { path: mounted, fallback, files: () => (files ??= readFiles(root)) };
}

/** Neither symbolic links nor hidden files; `readdir` by itself would walk through linked folders. */
function readFiles(root: string, below = ''): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const name = below + entry.name;
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) for (const [inner, file] of readFiles(root, `${name}/`)) files.set(inner, file);
    if (!entry.isFile()) continue;
    const content = readFileSync(join(root, name));
    const hash = digest(content).digest('base64url').slice(0, 22);
    files.set(name, { name, content, hash, ...(/\.s?html?$/.test(name) && policyFor(content)), packed: new Map() });
  }
  return files;
}

function policyFor(content: Buffer): Pick<PageFile, 'contentPolicy'> {
  const maps = [...content.toString().matchAll(importMaps)];
  return { contentPolicy: policyOf(maps.map(([, map = '']) => `'sha256-${digest(map).digest('base64')}'`)) };
}

/** The file of that name, or the fallback for a path that a person opened: the pages' own router knows it. */
function fileOf({ path, fallback, files }: Mount, ctx: Context): PageFile | undefined {
  const name = decoded(ctx.path).slice(path.length);
  const found = files().get(name === '' ? fallback : name);
  if (found || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return found;
  return ctx.get('Accept').includes('text/html') ? files().get(fallback) : undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function send(ctx: Context, file: PageFile): Promise<void> {
  const { name, hash } = file;
  const encoding = encodingFor(ctx, file);
  ctx.status = 200;
  ctx.type = name.slice(name.lastIndexOf('.'));
  ctx.set('Cache-Control', hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
  ctx.set('ETag', `"${encoding ? `${hash}-${encoding}` : hash}"`);
  ctx.vary('Accept');
  if (file.contentPolicy) {
    ctx.set('Content-Security-Policy', file.contentPolicy);
    ctx.set('Referrer-Policy', 'same-origin');
  }
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.body = encoding ? await packed(file, encoding) : file.content;
}

function encodingFor(ctx: Context, { name, content }: PageFile): string | undefined {
  if (!compressible.test(name) || content.length < worthCompressing) return undefined;
  ctx.vary('Accept-Encoding');
  const chosen = ctx.acceptsEncodings('br', 'gzip', 'identity');
  return chosen && chosen in packers ? chosen : undefined;
}

function packed({ content, packed }: PageFile, encoding: string): Promise<Buffer> {
  const made = packed.get(encoding) ?? packers[encoding]!(content);
  packed.set(encoding, made);
  return made;
}
