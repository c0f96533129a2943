/** The least that could show a page: the files of a folder as they are, compressed beforehand. Arguments: port, folder. */
import { readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';

const [port, folder] = process.argv.slice(2);
const files = new Map<string, Buffer>();
const app = new Koa();
app.use((ctx) => {
  const name = ctx.path === '/' ? '/index.html' : normalize(ctx.path);
  if (!files.has(name)) files.set(name, gzipSync(readFileSync(join(folder!, name))));
  ctx.type = extname(name);
  ctx.set('Content-Encoding', 'gzip');
  ctx.body = files.get(name);
});
app.silent = true;
app.listen(Number(port), '127.0.0.1');
