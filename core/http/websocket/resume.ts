import type { RunKind } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { BusMessages } from '../../queue/bus.ts';
import { statusSql } from '../../runs/followers/tell-changes.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { type Client, send, sendJson } from './client.ts';
import { eventColumns, eventGroup, eventMessage, shortened, statusMessage } from './messages.ts';
import { type CanSee, sendToWitnesses } from './witnesses.ts';

/** What a client says it saw last: group → item (a run) → `seq`. */
export type Seen = ReadonlyMap<string, ReadonlyMap<number, number>>;

const mostEvents = 1000;
const mostStatuses = 1000;
const mostItems = 100;

/** @throws Error with what a client is told */
export function readSeen(resume: unknown): Seen {
  const groups = entriesOf(resume).map(([group, items]): [string, Map<number, number>] => [
    group,
    new Map(entriesOf(items).map(([item, seq]) => [wholeOf(item), wholeOf(seq)])),
  ]);
  const count = groups.reduce((sum, [, items]) => sum + items.size, 0);
  if (count > mostItems) throw new Error(`resume can name ${mostItems} runs at most`);
  return new Map(groups);
}

const wrong = () =>
  new Error('resume says the last seq by group and run: {"job_events": {"12": 345}, "jobs": {"12": 4}}');

function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong();
  return Object.entries(value);
}

function wholeOf(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) throw wrong();
  return number;
}

interface ResumeDeps {
  db: Knex;
  kinds: RunKinds;
  canSee: CanSee;
}

export type Resume = (client: Client, seen: Seen) => Promise<void>;

/**
 * Sends a client that was away what it missed in the groups that it listens to, bounded, and then what it still has to read
 * from the API. What happens meanwhile comes as ever: the same message twice has the same `seq`.
 */
export function createResume(deps: ResumeDeps): Resume {
  return async (client, seen) => {
    const resumed: Record<string, unknown> = {};
    let room = mostEvents;
    for (const kind of deps.kinds.all()) {
      const group = eventGroup(kind);
      for (const [run, seq] of seen.get(group) ?? []) {
        if (!client.groups.has(`${group}-${run}`)) continue;
        // one after the other: they share the room
        // oxlint-disable-next-line no-await-in-loop
        const told = await resendEvents(deps, client, { kind, run, seq, room });
        room -= told.sent;
        resumed[group] = { ...(resumed[group] as object), [run]: { seq: told.seq, missed: told.missed } };
      }
    }
    const runs = seen.get('jobs');
    if (runs && client.groups.has('jobs-status_changed')) resumed.jobs = await resendStatuses(deps, client, runs);
    sendJson(client, { resumed });
  };
}

interface Asked {
  kind: RunKind;
  run: number;
  seq: number;
  room: number;
}

async function resendEvents({ db }: ResumeDeps, client: Client, { kind, run, seq, room }: Asked) {
  const rows = await db('run_events')
    .where('run_id', run)
    .where('counter', '>', seq)
    .orderBy('counter')
    .limit(room)
    .select(...eventColumns);
  for (const row of rows) send(client, JSON.stringify(eventMessage(kind, run, shortened(row))));
  const last: number = rows.at(-1)?.counter ?? seq;
  const stored: number = (await db('runs').where({ id: run }).first('event_count'))?.event_count ?? last;
  return { sent: rows.length, seq: last, missed: Math.max(0, stored - last) };
}

/** Of each run as it is now, not what it went through; and of runs that are newer than those that were named. */
async function resendStatuses({ db, kinds, canSee }: ResumeDeps, client: Client, seen: ReadonlyMap<number, number>) {
  const rows: { message: BusMessages['status'] }[] = await db('runs')
    .where((either) => {
      void either.whereRaw('id = any (?)', [[...seen.keys()]]);
      if (seen.size) void either.orWhere('id', '>', Math.max(...seen.keys()));
    })
    .whereNot('status', 'new')
    .orderBy('id')
    .limit(mostStatuses + 1)
    .select(db.raw(`${statusSql} as message`));
  const runs = rows.map(({ message }) => message);
  for (const run of runs.slice(0, mostStatuses).filter((one) => one.seq > (seen.get(one.run) ?? 0)))
    // in their order
    // oxlint-disable-next-line no-await-in-loop
    await sendToWitnesses(
      new Set([client]),
      canSee,
      { kind: run.kind, id: run.run },
      JSON.stringify(statusMessage(kinds.find(run.kind), run)),
    );
  return { complete: runs.length <= mostStatuses };
}
