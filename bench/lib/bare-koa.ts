/** The least that could answer with a job: Koa and one SELECT by key. Arguments: port, database URL. */
import Koa from 'koa';
import pg from 'pg';

const [port, connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 16 });
const app = new Koa();
app.use(async (ctx) => {
  const id = /^\/api\/v2\/jobs\/(\d+)\/$/.exec(ctx.path)?.[1];
  if (!id) return;
  const { rows } = await pool.query({ name: 'job', text: 'select * from runs where id = $1', values: [id] });
  ctx.body = rows[0];
});
app.listen(Number(port), '127.0.0.1');
