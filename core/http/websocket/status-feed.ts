import type { Knex } from 'knex';
import type { BusMessages } from '../../jobs/bus.ts';
import type { Log } from '../../observe/log.ts';
import type { Audience } from './client.ts';
import { statusMessage } from './messages.ts';
import { type CanSee, sendToWitnesses } from './witnesses.ts';

interface FeedDeps {
  db: Knex;
  log: Log;
  audience: Audience;
  canSee: CanSee;
}

const group = 'jobs-status_changed';
/** Clocks of two machines differ a little; a change sent twice has the same `seq`. */
const overlapMs = 10_000;
const mostMissed = 1000;

/** Sends changes of status to those who listen and may see the run. */
export function createStatusFeed({ db, log, audience, canSee }: FeedDeps) {
  let heardAt = Date.now();
  // changes are judged one after the other, so that a client gets them in order
  let turn = Promise.resolve();

  const pass = (message: BusMessages['status']) =>
    sendToWitnesses(audience.listeners(group), canSee, message, JSON.stringify(statusMessage(message)));

  function notice(message: BusMessages['status']): void {
    heardAt = Date.now();
    if (message.status === 'new' || !audience.listeners(group)) return;
    turn = turn
      .then(() => pass(message))
      .catch((err) => log.warn({ err, run: message.run }, 'a change of status could not be sent to listeners'));
  }

  return {
    notice,
    /** After a gap in the notifications: what changed meanwhile is told now. */
    async catchUp(): Promise<void> {
      if (!audience.listeners(group)) return;
      const rows = await db('runs')
        .where('modified', '>', new Date(heardAt - overlapMs).toISOString())
        .whereNot('status', 'new')
        .orderBy('modified')
        .limit(mostMissed)
        .select(
          'id as run',
          'kind',
          'status',
          'status_seq as seq',
          'template_id as template',
          'project_id as project',
          'inventory_id as inventory',
          'finished',
        );
      rows.forEach(notice);
    },
  };
}
