import type { Knex } from 'knex';
import type { Membership } from '../../core/nodes/membership.ts';

/**
 * Nodes fall silent as if they were cut off from the database a minute ago: nothing of these members reaches it by itself.
 * @returns what lets them say again that they live
 */
export async function cutOff(db: Knex, ...members: Pick<Membership, 'beat'>[]): Promise<() => void> {
  // a heartbeat of its own would bring a node back before the test has looked
  for (const member of members) member.beat = async () => undefined;
  await db('instances').update({ last_seen: db.raw("now() - interval '1 minute'") });
  return () => {
    for (const member of members) Reflect.deleteProperty(member, 'beat');
  };
}
