import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp, type Server as TcpServer, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
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

/** The certificate and the key of the servers here, which nobody trusts. */
export const pem = readFileSync(join(import.meta.dirname, '../fixtures/self-signed.pem'));
const certificate = { key: pem, cert: pem };

export interface MailTarget {
  port: number;
  mails: { user: unknown; from: string; to: string[]; text: string; secure: boolean }[];
  stop(): Promise<void>;
}

/** A real SMTP server: it takes mails of `me` with the password `pass word` only, over STARTTLS or without; `secure`: over TLS alone. */
export async function mailTarget({ secure: whole = false } = {}): Promise<MailTarget> {
  const mails: MailTarget['mails'] = [];
  const server = new SMTPServer({
    ...certificate,
    secure: whole,
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
  // whoever does not trust its certificate hangs up
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** TLS before a server that speaks none. */
export async function tlsBefore(port: number): Promise<TcpTarget> {
  const server = createTls(certificate, (socket) => {
    const behind = connect(port, '127.0.0.1');
    for (const one of [socket, behind]) one.on('error', () => undefined);
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { port: portOf(server), stop: () => new Promise((resolve) => void server.close(() => resolve())) };
}

interface TcpTarget {
  port: number;
  stop(): Promise<void>;
}

/** Says what it was given, at once and to everybody. */
export async function garbageTarget(text: string): Promise<TcpTarget> {
  const sockets = new Set<Socket>();
  const server = createTcp((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write(text);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: portOf(server),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
