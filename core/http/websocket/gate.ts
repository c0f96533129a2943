import { type Actor, inTime, type WebsocketGroup } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Log } from '../../observe/log.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { eventGroup } from './messages.ts';
import type { CanSee } from './witnesses.ts';

/** May this actor listen to this item of a group? */
export type Gate = (actor: Actor, group: string, item: string | number) => Promise<boolean>;

interface GateDeps {
  canSee: CanSee;
  kinds: RunKinds;
  /** groups of plugins */
  groups: readonly WebsocketGroup[];
  db: Knex;
  log: Pick<Log, 'warn'>;
  timeoutMs?: number;
}

/** Groups without ids carry ids and statuses only; what is sent in them is judged run by run. */
export function createGate({ canSee, kinds, groups, db, log, timeoutMs = 5000 }: GateDeps): Gate {
  const joins = new Map(groups.map(({ name, join }) => [name, join]));
  const ofEvents = new Map(kinds.all().map((kind) => [eventGroup(kind), kind.kind]));
  return async (actor, group, item) => {
    const kind = ofEvents.get(group);
    if (kind !== undefined) return /^[1-9]\d{0,14}$/.test(String(item)) && canSee(kind, Number(item), actor);
    const join = joins.get(group);
    if (!join) return !group.endsWith('_events');
    try {
      const late = () => new Error(`no answer within ${timeoutMs} ms`);
      return (await inTime(() => join(actor, item, db), { ms: timeoutMs, late })) === true;
    } catch (err) {
      log.warn({ err, group }, 'whether a client may listen could not be told: refused');
      return false;
    }
  };
}
