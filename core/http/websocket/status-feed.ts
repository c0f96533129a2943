import type { Knex } from 'knex';
import type { BusMessages } from '../../jobs/bus.ts';
import type { Log } from '../../observe/log.ts';
import { type Audience, type Client, send } from './client.ts';
import { statusMessage } from './messages.ts';
import type { CanSee } from './subscribe.ts';

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

  async function pass(message: BusMessages['status']): Promise<void> {
    const text = JSON.stringify(statusMessage(message));
    const verdicts = new Map<number, boolean>();
    for (const client of audience.listeners(group) ?? []) {
      const { id } = client.actor;
      if (!verdicts.has(id)) verdicts.set(id, await mayHear(client, message));
      if (verdicts.get(id)) send(client, text);
    }
  }

  const mayHear = async ({ actor }: Client, { kind, run, status }: BusMessages['status']): Promise<boolean> =>
    actor.is_superuser || actor.is_system_auditor ? status !== 'new' : canSee(kind, run, actor);

  function notice(message: BusMessages['status']): void {
    heardAt = Date.now();
    if (!audience.listeners(group)) return;
    turn = turn.then(() => pass(message)).catch((err) => log.warn({ err, run: message.run }, 'a change of status could not be sent to listeners'));
  }

  return {
    notice,
    /** After a gap in the notifications: what changed meanwhile is told now. */
    async catchUp(): Promise<void> {
      if (!audience.listeners(group)) return;
      const rows = await db('runs').where('modified', '>', new Date(heardAt - overlapMs).toISOString()).whereNot('status', 'new')
        .orderBy('modified').limit(mostMissed)
        .select('id as run', 'kind', 'status', 'status_seq as seq', 'template_id as template', 'project_id as project', 'inventory_id as inventory', 'finished');
      rows.forEach(notice);
    },
  };
}
