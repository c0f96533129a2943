/**
 * The least that could take a signed webhook for good: Koa, the body, its HMAC, and an answer when the event is committed. What comes
 * together is one statement, and two of them are under way, as in the service. Arguments: port, key, address of the database.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import Koa from 'koa';
import pg from 'pg';

const [port, key, connectionString] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 2 });
// the service's log has these indexes and six more
await pool.query(`
  create table bare_payloads (id bigserial primary key, body json not null);
  create table bare_events (id bigserial primary key, guid text not null unique, type text not null, payload_id bigint not null,
    created timestamptz not null default now());
  create index on bare_events (payload_id);`);
const text = `
  with given as (
    select g.*, nextval('bare_payloads_id_seq') as payload_id from unnest($1::text[], $2::text[], $3::text[]) as g(guid, type, body)
  ), event as (
    insert into bare_events (guid, type, payload_id) select guid, type, payload_id from given on conflict (guid) do nothing
  )
  insert into bare_payloads (id, body) select payload_id, body::json from given`;

interface Waiting {
  guid: string;
  type: string;
  body: string;
  done: () => void;
}
const waiting: Waiting[] = [];
let [underWay, begun] = [0, false];

async function empty(): Promise<void> {
  begun = false;
  underWay += 1;
  while (waiting.length) {
    const batch = waiting.splice(0, 100);
    const values = (['guid', 'type', 'body'] as const).map((name) => batch.map((one) => one[name]));
    // the next batch is what came meanwhile
    // oxlint-disable-next-line no-await-in-loop
    await pool.query({ name: 'store', text, values });
    for (const { done } of batch) done();
  }
  underWay -= 1;
}

function store(one: Omit<Waiting, 'done'>): Promise<void> {
  return new Promise((done) => {
    waiting.push({ ...one, done });
    if (begun || underWay >= 2) return;
    begun = true;
    setImmediate(() => void empty());
  });
}

const app = new Koa();
app.use(async (ctx) => {
  const parts: Buffer[] = [];
  for await (const part of ctx.req) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const wanted = Buffer.from(`sha256=${createHmac('sha256', key!).update(bytes).digest('hex')}`);
  const given = Buffer.from(ctx.get('X-Svc-Signature'));
  ctx.body = {};
  ctx.status = given.length === wanted.length && timingSafeEqual(given, wanted) ? 202 : 403;
  if (ctx.status === 403) return;
  const body = bytes.toString('utf8');
  const { event_guid: guid, event_type: type } = JSON.parse(body) as Record<string, string>;
  await store({ guid: guid!, type: type!, body });
});
app.listen(Number(port), '127.0.0.1');
