import type { Actor } from '@tapline/plugin-sdk';
import type { WebSocket } from 'ws';

/** What may wait in memory for one connection before it is taken for dead or too slow. */
const mostBuffered = 8_388_608;

/** One connection and what it listens to. */
export interface Client {
  socket: WebSocket;
  actor: Actor;
  /** names `<group>-<item>` */
  groups: Set<string>;
  /** The `csrftoken` cookie that every message must repeat; null where no cookie vouches for the caller. */
  csrf: string | null;
  /** Who the caller is now: null once its credentials are no longer good. */
  identify: () => Promise<Actor | null>;
  alive: boolean;
  /** messages that wait for their turn */
  backlog: number;
  turn: Promise<void>;
}

/** Who listens to what in this process. */
export function createAudience() {
  const clients = new Set<Client>();
  const byGroup = new Map<string, Set<Client>>();
  const leave = (client: Client, name: string) => {
    client.groups.delete(name);
    const members = byGroup.get(name);
    if (members?.delete(client) && !members.size) byGroup.delete(name);
  };
  return {
    clients,
    names: () => byGroup.keys(),
    listeners: (name: string): ReadonlySet<Client> | undefined => byGroup.get(name),
    join(client: Client, name: string) {
      if (!clients.has(client)) return;
      client.groups.add(name);
      const members = byGroup.get(name) ?? new Set();
      byGroup.set(name, members.add(client));
    },
    leave,
    remove(client: Client) {
      clients.delete(client);
      for (const name of client.groups) leave(client, name);
    },
  };
}

export type Audience = ReturnType<typeof createAudience>;

export function send(client: Client, text: string): void {
  const { socket } = client;
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > mostBuffered) return socket.terminate();
  // an error here means the connection is gone, which its close event tells
  socket.send(text, () => undefined);
}

export const sendJson = (client: Client, message: unknown): void => send(client, JSON.stringify(message));
