import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server as TcpServer, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

/** What a server was asked. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Reply = { status?: number; body?: unknown; headers?: Record<string, string> } | 'silence' | 'hang up';

export interface HttpTarget {
  url: string;
  seen: Seen[];
  /** what it answers; by default 200 and {} */
  answer: (seen: Seen) => Reply;
  /** Hangs up on whoever still waits for an answer. */
  hangUp(): void;
  stop(): Promise<void>;
}

const portOf = (server: Server | TcpServer) => (server.address() as AddressInfo).port;

export async function httpTarget(): Promise<HttpTarget> {
  const target: HttpTarget = {
    url: '',
    seen: [],
    answer: () => ({}),
    hangUp: () => server.closeAllConnections(),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  const server = createHttp(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(parts).toString() };
    target.seen.push(seen);
    const reply = target.answer(seen);
    if (reply === 'silence') return;
    if (reply === 'hang up') return void request.socket.destroy();
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  target.url = `http://127.0.0.1:${portOf(server)}`;
  return target;
}

const pem = readFileSync(join(import.meta.dirname, '../fixtures/self-signed.pem'));
const certificate = { key: pem, cert: pem };

export interface MailTarget {
  port: number;
  mails: { user: unknown; from: string; to: string[]; text: string; secure: boolean }[];
  stop(): Promise<void>;
}

/** A real SMTP server: it takes mails of `me` with the password `pass word` only, over STARTTLS or without. */
export async function mailTarget(): Promise<MailTarget> {
  const mails: MailTarget['mails'] = [];
  const server = new SMTPServer({
    ...certificate,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'me' && password === 'pass word' ? done(null, { user: username }) : done(new Error('Who are you?')),
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('nobody') ? new Error('No such box') : null),
    onData(stream, { user, envelope, secure }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const from = envelope.mailFrom ? envelope.mailFrom.address : '';
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ user, from, to, secure, text: Buffer.concat(parts).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

export interface TcpTarget {
  port: number;
  lines: string[];
  stop(): Promise<void>;
}

async function tcpTarget(lines: string[], serve: (socket: Socket) => void): Promise<TcpTarget> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    lines,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Says what it was given, at once and to everybody. */
export const garbageTarget = (text: string): Promise<TcpTarget> => tcpTarget([], (socket) => void socket.write(text));

/**
 * Not a server of IRC, but one that is true to its protocol as far as a client that says one thing goes (RFC 2812): who has not
 * registered with the password is told so, a channel is spoken to only by those who joined it, a PING is answered.
 */
export function ircTarget(): Promise<TcpTarget> {
  const lines: string[] = [];
  return tcpTarget(lines, (socket) => {
    const say = (line: string) => socket.write(`:irc.test ${line}\r\n`);
    const joined = new Set<string>();
    let [passed, nick, registered, rest] = [false, '', false, ''];
    const on: Record<string, (words: string[], line: string) => void> = {
      PASS: ([password]) => void (passed = password === 'sesame'),
      NICK: ([name]) => void (nick = name ?? ''),
      USER: () => {
        if (!passed) return void say(`464 ${nick} :Password incorrect`);
        registered = true;
        socket.write(`PING :still-there\r\n`);
      },
      PONG: ([token]) => token === ':still-there' && void say(`001 ${nick} :Welcome`),
      JOIN: ([channel]) =>
        channel === '#closed'
          ? void say(`473 ${nick} ${channel} :Cannot join channel (+i)`)
          : void joined.add(channel!),
      PRIVMSG: ([target], line) => {
        if (target!.startsWith('#') && !joined.has(target!))
          return void say(`404 ${nick} ${target} :Cannot send to channel`);
        lines.push(line);
      },
      PING: ([token]) => void say(`PONG irc.test ${token}`),
      QUIT: () => void socket.end(),
    };
    socket.on('data', (part) => {
      const all = (rest + part.toString()).split('\r\n');
      rest = all.pop()!;
      for (const line of all) {
        const [command = '', ...words] = line.split(' ');
        if (!registered && !['PASS', 'NICK', 'USER'].includes(command)) say(`451 * :You have not registered`);
        else on[command]?.(words, line);
      }
    });
  });
}
