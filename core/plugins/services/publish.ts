import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import { callError } from '../../observe/plugin-error.ts';
import type { Registries } from '../registries.ts';

/** What Postgres carries in one notification, less the envelope. */
const mostBytes = 7500;

interface Message {
  trx: Knex;
  group: string;
  item: string | number;
  message: Record<string, unknown>;
}

/** Tells listeners on every node; inside a transaction at its commit. @throws PluginError for a group of others, or too much */
export async function publish(
  { registries, bus }: { registries: Registries; bus: Pick<Bus, 'notify'> },
  plugin: string,
  { trx, group, item, message }: Message,
): Promise<void> {
  const call = `api.websocket.publish("${group}")`;
  if (!registries.find(plugin)?.contributions.groups.some(({ name }) => name === group))
    throw callError(
      plugin,
      call,
      'names no group of the plugin',
      `declare it by api.websocket.group({ name: "${group}", join })`,
    );
  const size = Buffer.byteLength(JSON.stringify({ group, item, message }));
  if (size > mostBytes)
    throw callError(
      plugin,
      call,
      `has a message of ${size} bytes, at most ${mostBytes} can be sent`,
      'send ids, and let listeners read the rest',
    );
  await bus.notify(trx, 'plugin', { group, item, message });
}
