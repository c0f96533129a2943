import type { RunKind } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import type { Log } from '../../observe/log.ts';
import type { Metrics } from '../../observe/metrics.ts';
import type { Settings } from '../../settings/settings.ts';
import { runPrepared } from '../../db/prepared.ts';
import { ensurePartition } from '../../events/partitions.ts';
import type { Executor, Handle } from '../executor.ts';
import { Patience } from '../patience.ts';
import { type Batch, type Progress, type SpoolLine, longestText, takeBatch } from './batch.ts';
import { createHostLookup } from './hosts.ts';
import { createMasker, type Masker } from './mask.ts';
import { runGone } from './retry.ts';
import { hostSummaries } from './stats.ts';
import { failsForGood, storeBatch } from './store.ts';
import { createWindow, type Window } from './window.ts';

export interface IngestDeps {
  db: Knex;
  bus: Bus;
  executor: Executor;
  log: Log;
  settings: Settings;
  metrics?: Metrics;
  /** what is refused is tried for so long; 30 s */
  giveUpAfterMs?: number;
}

export type RunTraits = Pick<RunKind, 'hidesUrls' | 'summarizesHosts' | 'explains'>;

/** The columns of runs that following one needs. */
export interface FollowedRun {
  id: number;
  kind: string;
  inventory_id: number | null;
  use_fact_cache: boolean;
}

const maxEvents = 2000;
const maxBytes = 2_097_152;
/** The closing statistics of some 500,000 hosts. */
const statisticsBytes = 50_000_000;
/** Output that no event claims: time for its event to arrive before it is stored on its own. */
const holdMs = 2000;
/** An event whose text does not arrive at all. */
const textPatienceMs = 5000;

/** Passed on in steps well below the smallest SPOOL_LIMIT_BYTES: the engine is only paused for what is more. */
const acknowledgeEvery = 131_072;

/** stored = false: another follower was quicker, or Postgres refused it; the position has to be read again. */
type Landing = { stored: boolean } | { error: unknown };

/** One run being followed by this process. */
export interface Session {
  deps: IngestDeps;
  run: FollowedRun & RunTraits;
  handle: Handle;
  masker: Masker;
  events: Window;
  stdout: Window;
  position: Progress | null;
  partition: string;
  lookup: ReturnType<typeof createHostLookup>;
  limit: number;
  /** the batch that is being stored while the next one is put together */
  flight: Promise<Landing> | null;
  heldSince: number;
  blockedSince: number;
  /** bytes of both streams that the executor knows to be stored */
  acknowledged: number;
  /** renewed by each batch that is stored: a step that puts one on its way has not stored it yet */
  patience: Patience;
  /** why the rest of what the run says is not stored; '' = it is */
  cutShort: string;
}

export function openSession(
  deps: IngestDeps,
  run: FollowedRun & RunTraits,
  handle: Handle,
  secrets: readonly string[],
): Session {
  return {
    deps,
    run,
    handle,
    masker: createMasker(secrets),
    events: createWindow(deps.executor, handle, 'events'),
    stdout: createWindow(deps.executor, handle, 'stdout'),
    position: null,
    partition: '',
    lookup: createHostLookup(deps.db, run),
    limit: maxEvents,
    flight: null,
    heldSince: 0,
    blockedSince: 0,
    acknowledged: 0,
    patience: new Patience(deps.giveUpAfterMs),
    cutShort: '',
  };
}

const position = {
  name: 'ingest position',
  text: 'select event_offset, event_count, stdout_offset, stdout_lines from runs where id = $1',
};

/** Reads where the stored events end; whatever is in memory is forgotten. */
async function locate(session: Session): Promise<Progress> {
  const {
    deps: { db },
    run,
  } = session;
  session.partition ||= await ensurePartition(db, run.id);
  const [row]: Progress[] = await runPrepared(db, position, [run.id]);
  if (!row) throw runGone(run.id);
  session.events.reset(row.event_offset);
  session.stdout.reset(row.stdout_offset);
  session.position = row;
  await acknowledge(session, row);
  return row;
}

/** The next one repeats it, and the workspace of a run that is long over may be gone. */
async function acknowledge(session: Session, { event_offset: events, stdout_offset: stdout }: Progress): Promise<void> {
  const {
    deps: { executor, log },
    run,
    handle,
  } = session;
  session.acknowledged = events + stdout;
  await executor
    .acknowledge(handle, { events, stdout })
    .catch((err) => log.debug({ err, run: run.id }, 'the stored position could not be passed on'));
}

export interface Step {
  /** something was stored: there may be more at once */
  moved: boolean;
  rows: number;
  /** output or an event waits for its time to pass */
  waiting: boolean;
}

/**
 * Reads once and puts at most one batch on its way, after the one before it has landed. Nothing is under way when it
 * says that nothing moved. After an error the stored position is read again: a commit may have happened.
 */
export async function step(session: Session, final: boolean): Promise<Step> {
  try {
    const from = session.position ?? (await locate(session));
    const overlong = await readAhead(session, from);
    const room = Number(session.deps.settings.get('RUN_MAX_EVENTS')) - from.event_count;
    if (room <= 0) return await atLimit(session);
    const batch = takeBatch(session.events, session.stdout, from, {
      overlong,
      masker: session.masker,
      maxResult: Number(session.deps.settings.get('MAX_EVENT_RES_DATA')),
      hideUrls: session.run.hidesUrls === true,
      flush: flushes(session, final),
      maxEvents: Math.min(session.limit, room),
      maxBytes,
    });
    const moved = batch.rows.length > 0 || batch.next.event_offset > from.event_offset;
    const waiting = noteWaiting(session, batch);
    const inOrder = await landed(session);
    if (moved && inOrder) depart(session, from, batch);
    return { moved: moved || !inOrder, rows: batch.rows.length, waiting };
  } catch (error) {
    await session.flight;
    session.flight = null;
    session.position = null;
    // it may have been dropped as empty just before the first event
    session.partition = '';
    throw error;
  }
}

/** No more of it is stored. The run is ended, again after a restart if need be. */
async function atLimit(session: Session): Promise<Step> {
  const { deps, handle, events, stdout } = session;
  const inOrder = await landed(session);
  if (inOrder && (events.bytes.length || stdout.bytes.length) && !session.cutShort) {
    const most = deps.settings.get('RUN_MAX_EVENTS');
    session.cutShort = `The run had more than the ${most} events of RUN_MAX_EVENTS; it was ended, and later ones are not stored.`;
    await deps.executor.endAtLimit(handle, session.cutShort);
  }
  return { moved: !inOrder, rows: 0, waiting: false };
}

/** Waits for the batch under way; false when what was read after it is of no use. */
async function landed(session: Session): Promise<boolean> {
  const landing = (await session.flight) ?? { stored: true };
  session.flight = null;
  if ('error' in landing) throw landing.error;
  if (!landing.stored) session.position = null;
  return landing.stored;
}

function depart(session: Session, from: Progress, batch: Batch): void {
  session.position = batch.next;
  session.events.discard(batch.next.event_offset);
  session.stdout.discard(batch.next.stdout_offset);
  session.flight = commit(session, from, batch).then(
    (stored) => ({ stored }),
    (error: unknown) => ({ error }),
  );
}

/** Events first: the text of whatever event was read is then in the stream. Resolves to a line too long to be kept. */
async function readAhead({ events, stdout, deps }: Session, from: Progress): Promise<SpoolLine | null> {
  const longestLine = Math.max(2 * Number(deps.settings.get('MAX_EVENT_RES_DATA')), statisticsBytes) + maxBytes;
  await events.fillTo(from.event_offset + maxBytes);
  // a line that fills the window and has no end
  while (
    events.bytes.length >= maxBytes &&
    events.bytes.length <= longestLine &&
    events.bytes.indexOf(10) === -1 &&
    (await events.fill())
  );
  const overlong =
    events.bytes.length > longestLine && events.bytes.indexOf(10) === -1 ? await events.skipLine() : null;
  await stdout.fillTo(from.stdout_offset + maxBytes + longestText);
  return overlong;
}

function flushes({ heldSince, blockedSince }: Session, final: boolean) {
  const now = performance.now();
  return {
    text: final || (blockedSince > 0 && now - blockedSince > textPatienceMs),
    tail: final || (heldSince > 0 && now - heldSince > holdMs),
    end: final,
  };
}

function noteWaiting(session: Session, batch: Batch): boolean {
  const now = performance.now();
  const held = session.stdout.end > batch.next.stdout_offset;
  session.heldSince = held ? (batch.rows.length ? now : session.heldSince || now) : 0;
  session.blockedSince = batch.blocked ? session.blockedSince || now : 0;
  return held || batch.blocked;
}

async function commit(session: Session, from: Progress, batch: Batch): Promise<boolean> {
  const {
    deps: { db, bus, log, metrics },
    run,
    partition,
  } = session;
  if (batch.malformed) log.warn({ run: run.id, lines: batch.malformed }, 'lines of the event spool could not be read');
  const names = batch.rows.map((row) => row.host_name);
  const ids = await session.lookup(
    batch.stats ? [...names, ...hostSummaries(batch.stats).map((summary) => summary.host_name)] : names,
  );
  try {
    if (!(await storeBatch({ db, bus, run, partition }, from, batch, ids))) return false;
  } catch (error) {
    if (!failsForGood(error)) throw error;
    await narrow(session, from, batch, error);
    return false;
  }
  session.patience.renew();
  session.limit = Math.min(maxEvents, session.limit * 2);
  metrics?.eventsStored.inc(batch.rows.length);
  const newest = batch.rows.at(-1);
  if (newest) metrics?.ingestLag.observe(Math.max(0, Date.now() - Date.parse(newest.created)) / 1000);
  const { event_offset, stdout_offset } = batch.next;
  if (event_offset + stdout_offset - session.acknowledged >= acknowledgeEvery) await acknowledge(session, batch.next);
  return true;
}

/** Postgres refuses something in the batch: smaller ones find the event, which is then stored without its data. */
async function narrow(session: Session, from: Progress, batch: Batch, err: unknown): Promise<void> {
  const {
    deps: { db, bus, log },
    run,
    partition,
  } = session;
  if (session.limit > 1) {
    session.limit = Math.max(1, Math.floor(Math.min(session.limit, batch.rows.length) / 2));
    return;
  }
  log.warn(
    { err, run: run.id, counter: from.event_count + 1 },
    'the data of an event cannot be stored; the event is kept without it',
  );
  const bare = batch.rows.map((row) => ({ ...row, event_data: '{}' }));
  await storeBatch({ db, bus, run, partition }, from, { ...batch, rows: bare, stats: null }, new Map());
}
