import { createHash, createHmac, randomUUID } from 'node:crypto';
import { ApiError, type Call, type Reply } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type LaunchKey, underKey } from '../runs/launch-key.ts';
import type { Log } from '../observe/log.ts';

const table = 'idempotency_keys';
const longest = 255;
const BEAT_MS = 5_000;
const SILENT_AFTER = '20 seconds';
const KEPT = '24 hours';

interface Request {
  db: Knex;
  log: Pick<Log, 'warn'>;
  /** the header as sent */
  key: string;
  call: Call;
  path: string;
  /** status of the answer of a launch */
  status: number;
  work: () => Promise<Reply>;
}

interface Kept {
  fingerprint: Buffer;
  run_id: number | null;
  extra: Record<string, unknown> | null;
  status: number | null;
  headers: Record<string, string>;
  body: string;
  silent: boolean;
  old: boolean;
}

/**
 * A launch that may be sent again: the second time it answers what the first one did, and launches nothing. Only what
 * was launched is kept; after a refusal the key is free, since nothing has happened under it.
 */
export async function launchOnce(request: Request): Promise<Reply> {
  const { db, key: text, call, path } = request;
  if (!text || text.length > longest) throw new ApiError(400, `Idempotency-Key must have 1 to ${longest} characters.`);
  const key: LaunchKey = {
    user: call.actor!.id,
    hash: createHash('sha256').update(text).digest(),
    attempt: randomUUID(),
    extra: {},
  };
  const fingerprint = createHmac('sha256', text)
    .update(JSON.stringify([call.method, path, call.body]))
    .digest();
  const kept = await claim(db, key, fingerprint);
  if (!kept) return perform(request, key);
  if (!kept.fingerprint.equals(fingerprint))
    throw new ApiError(422, 'This Idempotency-Key came with another request before. Use a new key for each request.');
  if (kept.status !== null) return replayed(kept.status, kept.headers, kept.body);
  if (!kept.silent || kept.run_id === null) throw inProgress();
  return recover(request, key, kept.run_id, kept.extra ?? {});
}

const inProgress = () =>
  new ApiError(409, 'The first request with this Idempotency-Key is in progress. Ask again for its answer.', {
    'Retry-After': '1',
  });

const replayed = (status: number, headers: Record<string, string>, body: string): Reply => ({
  status,
  headers: { ...headers, 'Idempotency-Replayed': 'true' },
  body,
  type: 'application/json',
});

const own = ({ user, hash }: LaunchKey) => ({ user_id: user, key_hash: hash });
const held = (key: LaunchKey) => ({ ...own(key), attempt: key.attempt });

/** Undefined where the key is ours to launch under; else what is known of it. */
async function claim(db: Knex, key: LaunchKey, fingerprint: Buffer): Promise<Kept | undefined> {
  return db.transaction(async (trx) => {
    const fresh = await trx(table)
      .insert({ ...held(key), fingerprint })
      .onConflict()
      .ignore()
      .returning('attempt');
    if (fresh.length) return undefined;
    const kept: Kept | undefined = await trx(table)
      .where(own(key))
      .forUpdate()
      .first('*', {
        silent: trx.raw('alive < now() - ?::interval', [SILENT_AFTER]),
        old: trx.raw('created < now() - ?::interval', [KEPT]),
      });
    // the first request was refused just now
    if (!kept) throw inProgress();
    const givenUp = kept.status === null && kept.run_id === null && kept.silent && kept.fingerprint.equals(fingerprint);
    if (!kept.old && !givenUp) return kept;
    const anew = { run_id: null, extra: null, status: null, headers: null, body: null };
    await trx(table)
      .where(own(key))
      .update({ ...anew, attempt: key.attempt, fingerprint, alive: trx.fn.now(), created: trx.fn.now() });
    return undefined;
  });
}

async function perform({ db, log, work }: Request, key: LaunchKey): Promise<Reply> {
  const beat = setInterval(() => {
    db(table)
      .where(held(key))
      .update({ alive: db.fn.now() })
      .catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  try {
    const reply = await underKey(key, work);
    if (reply.status >= 300) await release(db, key);
    // the answer is due even where it cannot be kept: it can be made again from the run
    else await keep(db, key, reply).catch((error) => log.warn({ err: error }, 'an answer could not be kept'));
    return reply;
  } catch (error) {
    await release(db, key).catch(() => undefined);
    throw error;
  } finally {
    clearInterval(beat);
  }
}

async function keep(db: Knex, key: LaunchKey, reply: Reply): Promise<void> {
  await db(table)
    .where(held(key))
    .whereNull('status')
    .update({
      status: reply.status,
      headers: JSON.stringify(reply.headers ?? {}),
      body: JSON.stringify(reply.body),
    });
}

/** Nothing was launched, or only the answer failed: the next request need not wait until this one counts as dead. */
async function release(db: Knex, key: LaunchKey): Promise<void> {
  await db(table).where(held(key)).whereNull('run_id').delete();
  await db(table).where(held(key)).update({ alive: '-infinity' });
}

/** The run was launched by a process that died before it could answer: this is the answer. */
async function recover(
  { db, call, status }: Request,
  key: LaunchKey,
  id: number,
  extra: Record<string, unknown>,
): Promise<Reply> {
  const run = await db('runs').where({ id }).first('kind');
  const [shown] = run ? await call.represent(run.kind, [id], 'detail') : [];
  if (!shown)
    throw new ApiError(409, `The first request with this Idempotency-Key launched run ${id}, which is deleted.`);
  const reply = { status, headers: { Location: String(shown['url']) }, body: { [run.kind]: id, ...extra, ...shown } };
  await db(table)
    .where({ ...own(key), run_id: id })
    .whereNull('status')
    .update({ status, headers: JSON.stringify(reply.headers), body: JSON.stringify(reply.body) });
  return replayed(status, reply.headers, JSON.stringify(reply.body));
}

/** Deletes what is older than clients may count on. */
export async function deleteOldKeys(db: Knex): Promise<number> {
  return db(table).whereRaw('created < now() - ?::interval', [KEPT]).delete();
}
