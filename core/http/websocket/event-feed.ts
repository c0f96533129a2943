import type { Knex } from 'knex';
import { isStructural } from '../../events/vocabulary.ts';
import type { BusMessages } from '../../jobs/bus.ts';
import type { Log } from '../../observe/log.ts';
import { type Audience, send } from './client.ts';
import { eventColumns, eventGroup, eventMessage, summaryMessage } from './messages.ts';

interface Feed {
  kind: string;
  /** counters that are stored but not yet sent on */
  pending: { from: number; to: number } | null;
  final: number | null;
  busy: boolean;
  second: number;
  sent: number;
  last: number;
}

interface FeedDeps {
  db: Knex;
  log: Log;
  audience: Audience;
  /** events per run and second, structural ones not counted; 0 = no limit */
  rate: () => number;
}

/** Longer texts are cut: whoever wants all of it reads the event. */
const longestText = 65_536;

/**
 * Sends stored events on to whoever listens in this process: one query per notification and run, none without listeners.
 * While a query is under way further notifications of that run are gathered into the next one.
 */
export function createEventFeed({ db, log, audience, rate }: FeedDeps) {
  const feeds = new Map<number, Feed>();
  const heard = (kind: string, run: number) => audience.listeners(`${eventGroup(kind)}-${run}`);

  async function drain(run: number, feed: Feed): Promise<void> {
    feed.busy = true;
    while (feed.pending) {
      const { from, to } = feed.pending;
      feed.pending = null;
      try {
        if (heard(feed.kind, run)) await sendRange(run, feed, from, to);
        feed.last = Math.max(feed.last, to);
      } catch (err) {
        log.warn({ err, run }, 'events could not be sent to listeners');
      }
    }
    feed.busy = false;
    if (feed.final !== null) finish(run, feed);
    else if (!heard(feed.kind, run)) feeds.delete(run);
  }

  function finish(run: number, feed: Feed): void {
    const text = JSON.stringify(summaryMessage(run, feed.final as number));
    for (const client of audience.listeners('jobs-summary') ?? []) send(client, text);
    feeds.delete(run);
  }

  async function sendRange(run: number, feed: Feed, from: number, to: number): Promise<void> {
    const room = allowance(feed, rate());
    const rows = await db('run_events').where({ run_id: run }).whereBetween('counter', [from, to])
      .where((any) => any.where('counter', '<', from + room).orWhereLike('event', 'playbook\\_on\\_%'))
      .orderBy('counter').select(...eventColumns);
    for (const row of rows) {
      if (!isStructural(row.event)) feed.sent += 1;
      const stdout = row.stdout.length > longestText ? `${row.stdout.slice(0, longestText)}…` : row.stdout;
      const text = JSON.stringify(eventMessage(feed.kind, run, { ...row, stdout }));
      for (const client of heard(feed.kind, run) ?? []) send(client, text);
    }
  }

  return {
    notice({ run, kind, from, to, final }: BusMessages['events']): void {
      if (!heard(kind, run) && !feeds.has(run) && !(final && audience.listeners('jobs-summary'))) return;
      const feed = feeds.get(run) ?? { kind, pending: null, final: null, busy: false, second: 0, sent: 0, last: from - 1 };
      feeds.set(run, feed);
      if (final) feed.final = to;
      if (to >= from) feed.pending = feed.pending ? { from: Math.min(feed.pending.from, from), to: Math.max(feed.pending.to, to) } : { from, to };
      if (!feed.busy) void drain(run, feed);
    },
    /** After a gap in the notifications: what was stored meanwhile is sent now. */
    async catchUp(): Promise<void> {
      const runs = [...feeds].filter(([, feed]) => feed.last > 0).map(([run]) => run);
      if (!runs.length) return;
      const rows = await db('runs').whereIn('id', runs).select('id', 'kind', 'event_count');
      for (const { id, kind, event_count } of rows) {
        const from = (feeds.get(id)?.last ?? event_count) + 1;
        if (from <= event_count) this.notice({ run: id, kind, from, to: event_count });
      }
    },
  };
}

/** How many ordinary events may still go out in this second. */
function allowance(feed: Feed, rate: number): number {
  if (rate <= 0) return Number.MAX_SAFE_INTEGER / 2;
  const second = Math.floor(performance.now() / 1000);
  if (second !== feed.second) Object.assign(feed, { second, sent: 0 });
  return Math.max(0, rate - feed.sent);
}
