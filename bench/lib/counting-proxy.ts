import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CountingProxy {
  url: string;
  /** statements sent since the last time it was asked */
  take(): number;
  close(): void;
}

const query = 'Q'.charCodeAt(0);
const execute = 'E'.charCodeAt(0);

/** Counts the statements of one direction of a Postgres connection: what a client says goes by length-prefixed messages. */
function counter(found: () => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  // the first message of a connection has no type
  let started = false;
  return (chunk) => {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      if (started && (rest[0] === query || rest[0] === execute)) found();
      started = true;
      rest = rest.subarray(length);
    }
  };
}

/** A door to a Postgres server that counts, so that statements are counted by nothing that is measured. */
export async function countStatements(databaseUrl: string): Promise<CountingProxy> {
  const url = new URL(databaseUrl.replace('@/', '@socket/'));
  const folder = url.searchParams.get('host');
  const target = folder
    ? { path: `${folder}/.s.PGSQL.${url.port || 5432}` }
    : { host: url.hostname, port: Number(url.port || 5432) };
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(target as never);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    const watch = counter(() => void count++);
    client.on('data', watch);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `postgres://${url.username}${url.password ? `:${url.password}` : ''}@127.0.0.1:${port}${url.pathname}`,
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
