import type { Knex } from 'knex';
import type { BusMessages } from '../../queue/bus.ts';
import { statusSql } from '../../runs/followers/tell-changes.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import type { Log } from '../../observe/log.ts';
import type { Audience } from './client.ts';
import { partGroup, partMessage, statusMessage } from './messages.ts';
import { type CanSee, sendToWitnesses } from './witnesses.ts';

interface FeedDeps {
  db: Knex;
  kinds: RunKinds;
  log: Log;
  audience: Audience;
  canSee: CanSee;
}

const group = 'jobs-status_changed';
/** Clocks of two machines differ a little; a change sent twice has the same `seq`. */
const overlapMs = 10_000;
const mostMissed = 1000;
/** More than are read again after a gap, with all that may be told at the same time. */
const mostRemembered = 5000;

/** Sends changes of status to those who listen and may see the run. */
export function createStatusFeed({ db, kinds, log, audience, canSee }: FeedDeps) {
  let heardAt = Date.now();
  // changes are judged one after the other, so that a client gets them in order
  let turn = Promise.resolve();
  /** of runs, those that changed last at the end */
  const noticed = new Map<number, number>();

  /** What is read again after a gap and what is notified meanwhile cross each other: of a run, a later change was noticed already. */
  function isLate({ run, seq }: BusMessages['status']): boolean {
    if (seq < (noticed.get(run) ?? 0)) return true;
    noticed.delete(run);
    noticed.set(run, seq);
    if (noticed.size > mostRemembered) noticed.delete(noticed.keys().next().value!);
    return false;
  }

  async function pass(message: BusMessages['status']): Promise<void> {
    const kind = kinds.find(message.kind);
    const run = { kind: message.kind, id: message.run };
    await sendToWitnesses(audience.listeners(group), canSee, run, JSON.stringify(statusMessage(kind, message)));
    const part = partGroup(message);
    const listeners = part === undefined ? undefined : audience.listeners(part);
    if (listeners) await sendToWitnesses(listeners, canSee, run, JSON.stringify(partMessage(kind, message)));
  }

  const isHeard = (message: BusMessages['status']) =>
    audience.listeners(group) !== undefined || audience.listeners(partGroup(message) ?? group) !== undefined;

  function notice(message: BusMessages['status']): void {
    heardAt = Date.now();
    if (isLate(message) || message.status === 'new' || !isHeard(message)) return;
    turn = turn
      .then(() => pass(message))
      .catch((err) => log.warn({ err, run: message.run }, 'a change of status could not be sent to listeners'));
  }

  return {
    notice,
    /** After a gap in the notifications: what changed meanwhile is told now. */
    async catchUp(): Promise<void> {
      // whom it concerns is told by each change: the parts of runs have groups of their own
      if (!audience.clients.size) return;
      const rows = await db('runs')
        .where('modified', '>', new Date(heardAt - overlapMs).toISOString())
        .whereNot('status', 'new')
        .orderBy('modified')
        .limit(mostMissed)
        .select(db.raw(`${statusSql} as message`));
      for (const { message } of rows) notice(message);
    },
  };
}
