import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import { type Audience, sendJson } from './client.ts';

export const controlGroup = 'control';

/** Tells the pages of sessions that gave way to a newer one that they are logged out. */
export async function announceLimit(bus: Bus, db: Knex, sessions: readonly number[]): Promise<void> {
  for (const item of sessions)
    await bus.notify(db, 'plugin', { group: controlGroup, item, message: { reason: 'limit_reached' } });
}

/**
 * Clients ask for `limit_reached_<user>`, some of them always for user 1, so whose session it is decides, not what was
 * asked for.
 */
export function sayToSession(audience: Audience, session: string | number, message: Record<string, unknown>): void {
  for (const client of audience.clients) {
    const listens = [...client.groups].some((name) => name.startsWith(`${controlGroup}-limit_reached`));
    if (listens && client.actor.session?.id === Number(session))
      sendJson(client, { group_name: controlGroup, ...message });
  }
}
