import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { basic } from '../../core/testing/client.ts';

export interface GitServer {
  /** with a slash at its end: the names of repositories come behind it */
  url: string;
  /** `Authorization` of each request so far; undefined where there was none */
  shown: (string | undefined)[];
  /** those of them that came without TLS, on the same port */
  shownInTheOpen: (string | undefined)[];
  stop(): Promise<void>;
}

/** Repositories of a folder by `git http-backend`, with TLS and without, for those who give one of the logins (`name:password`). */
export async function startGitServer(folder: string, pem: Buffer, logins: readonly string[]): Promise<GitServer> {
  const known = logins.map((login) => basic(login.split(':')[0]!, login.slice(login.indexOf(':') + 1)));
  const shown: GitServer['shown'] = [];
  const shownInTheOpen: GitServer['shown'] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    shown.push(request.headers.authorization);
    if (!('encrypted' in request.socket)) shownInTheOpen.push(request.headers.authorization);
    if (known.includes(request.headers.authorization ?? '')) return serve(folder, request, response);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  };
  const [secure, plain] = [createSecure({ key: pem, cert: pem }, answer), createPlain(answer)];
  const ports = await Promise.all([secure, plain].map(listening));
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    socket.once('data', (first: Buffer) => {
      // a TLS handshake begins so
      const behind = connect(first[0] === 22 ? ports[0]! : ports[1]!, '127.0.0.1');
      behind.write(first);
      for (const one of [socket, behind]) open.add(one.on('error', () => undefined));
      socket.pipe(behind).pipe(socket);
    });
  });
  const port = await listening(server);
  return {
    url: `https://127.0.0.1:${port}/`,
    shown,
    shownInTheOpen,
    async stop() {
      for (const one of [server, secure, plain]) one.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** As RFC 3875 has it: the request in variables, the answer's headers before its body. */
function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url!, 'https://localhost');
  const backend = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      // whoever owns them
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    },
  });
  request.pipe(backend.stdin);
  // who sent more than it wanted to know
  backend.stdin.on('error', () => undefined);
  const said: Buffer[] = [];
  backend.stdout.on('data', (part: Buffer) => void said.push(part));
  backend.on('close', () => {
    const answer = Buffer.concat(said);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const);
    const status = Number.parseInt(headers.find(([name]) => name === 'Status')?.[1] ?? '200', 10);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.end(answer.subarray(end + 4));
  });
}
