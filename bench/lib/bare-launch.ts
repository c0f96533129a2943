/**
 * The least that could launch: Koa, one INSERT, then the engine as a child of its own. Arguments: port, database URL,
 * engine; without an engine it only inserts.
 */
import { spawn } from 'node:child_process';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import pg from 'pg';

const [port, connectionString, engine] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 16 });
await pool.query('create table if not exists bare_launches (id bigserial primary key, prompts jsonb not null)');
const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.method !== 'POST') return;
  const text = 'insert into bare_launches (prompts) values ($1) returning id';
  const { rows } = await pool.query({ name: 'launch', text, values: [JSON.stringify(ctx.request.body)] });
  if (engine) spawn(engine, ['--help'], { stdio: 'ignore', detached: true });
  ctx.status = 201;
  ctx.body = { job: Number(rows[0].id) };
});
app.listen(Number(port), '127.0.0.1');
