import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to outgoing connections: none of these takes it by chance before it is used. */
const among = [15_000, 32_000] as const;

/** A loopback port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(...among);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (tries === 100) throw error;
      continue;
    }
    const closed = once(server, 'close');
    server.close();
    await closed;
    return port;
  }
}
