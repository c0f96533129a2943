import type { RunKind } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { isStructural } from '../../events/vocabulary.ts';
import type { BusMessages } from '../../queue/bus.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { Log } from '../../observe/log.ts';
import { type Audience, send } from './client.ts';
import { type CanSee, sendToWitnesses } from './witnesses.ts';
import { eventColumns, eventGroup, eventMessage, shortened, summaryMessage } from './messages.ts';

interface Feed {
  kind: RunKind;
  /** what is stored, as far as this process was told */
  stored: number;
  final: number | null;
  busy: boolean;
  second: number;
  sent: number;
  /** what was sent on: what comes next begins here, whatever was told, in whatever order */
  last: number;
}

interface FeedDeps {
  db: Knex;
  kinds: RunKinds;
  log: Log;
  audience: Audience;
  canSee: CanSee;
  /** events per run and second, structural ones not counted; 0 = no limit */
  rate: () => number;
}

const summaryGroup = 'jobs-summary';
/**
 * Sends stored events on to whoever listens in this process: one query per notification and run, none without listeners.
 * While a query is under way further notifications of that run are gathered into the next one.
 */
export function createEventFeed(deps: FeedDeps) {
  const { db, kinds, log, audience } = deps;
  const feeds = new Map<number, Feed>();

  async function drain(run: number, feed: Feed): Promise<void> {
    feed.busy = true;
    try {
      while (feed.stored > feed.last) {
        const to = feed.stored;
        if (heard(audience, feed.kind, run)) await sendRange(deps, run, feed, to);
        feed.last = to;
      }
      if (feed.final !== null) await sendSummary(deps, run, feed);
    } catch (err) {
      log.warn({ err, run }, 'events could not be sent to listeners');
    }
    feed.busy = false;
    if (feed.final !== null || !heard(audience, feed.kind, run)) feeds.delete(run);
  }

  return {
    notice({ run, kind: name, from, to, final }: BusMessages['events']): void {
      const kind = kinds.find(name);
      if (!kind) return;
      if (!heard(audience, kind, run) && !feeds.has(run) && !(final && audience.listeners(summaryGroup))) return;
      const feed = feeds.get(run) ?? newFeed(kind, from);
      feeds.set(run, feed);
      if (final) feed.final = to;
      feed.stored = Math.max(feed.stored, to);
      if (!feed.busy) void drain(run, feed);
    },
    /** After a gap in the notifications: what was stored meanwhile is sent now. */
    async catchUp(): Promise<void> {
      if (!feeds.size) return;
      const rows = await db('runs')
        .whereIn('id', [...feeds.keys()])
        .select('id', 'kind', 'event_count');
      for (const { id: run, kind, event_count: to } of rows)
        if (feeds.has(run)) this.notice({ run, kind, from: to + 1, to });
    },
  };
}

const heard = (audience: Audience, kind: RunKind, run: number) => audience.listeners(`${eventGroup(kind)}-${run}`);

const newFeed = (kind: RunKind, from: number): Feed => ({
  kind,
  stored: from - 1,
  final: null,
  busy: false,
  second: 0,
  sent: 0,
  last: from - 1,
});

async function sendRange({ db, audience, rate }: FeedDeps, run: number, feed: Feed, to: number) {
  const from = feed.last + 1;
  const below = from + Math.min(allowance(feed, rate()), to - from + 1);
  const rows = await db('run_events')
    .where({ run_id: run })
    .whereBetween('counter', [from, to])
    .where((either) => either.where('counter', '<', below).orWhereLike('event', 'playbook\\_on\\_%'))
    .orderBy('counter')
    .select(...eventColumns);
  for (const row of rows) {
    if (!isStructural(row.event)) feed.sent += 1;
    const text = JSON.stringify(eventMessage(feed.kind, run, shortened(row)));
    for (const client of heard(audience, feed.kind, run) ?? []) send(client, text);
  }
}

async function sendSummary({ audience, canSee }: FeedDeps, run: number, { kind, final }: Feed): Promise<void> {
  const text = JSON.stringify(summaryMessage(run, final as number));
  await sendToWitnesses(audience.listeners(summaryGroup), canSee, { kind: kind.kind, id: run }, text);
}

/** How many ordinary events may still go out in this second. */
function allowance(feed: Feed, rate: number): number {
  if (rate <= 0) return Number.POSITIVE_INFINITY;
  const second = Math.floor(performance.now() / 1000);
  if (second !== feed.second) Object.assign(feed, { second, sent: 0 });
  return Math.max(0, rate - feed.sent);
}
