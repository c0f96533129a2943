/** The least that could receive a signed webhook: Koa, the body, its HMAC. Arguments: port, key. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import Koa from 'koa';

const [port, key] = process.argv.slice(2);
const app = new Koa();
app.use(async (ctx) => {
  const parts: Buffer[] = [];
  for await (const part of ctx.req) parts.push(part as Buffer);
  const wanted = Buffer.from(`sha256=${createHmac('sha256', key!).update(Buffer.concat(parts)).digest('hex')}`);
  const given = Buffer.from(ctx.get('X-Svc-Signature'));
  ctx.status = given.length === wanted.length && timingSafeEqual(given, wanted) ? 202 : 403;
  ctx.body = {};
});
app.listen(Number(port), '127.0.0.1');
