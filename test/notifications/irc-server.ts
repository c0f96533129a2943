import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../demo/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

export interface IrcServer {
  port: number;
  /** what ann, who is in #ops and in the channel with the longest name, was told: whole lines, as the server sends them */
  heard: string[];
  stop(): Promise<void>;
}

export const longChannel = `#${'k'.repeat(49)}`;
const password = 'sesame';

const configuration = (port: number) => `[Global]
Name = irc.test.local
Info = a server for tests
Listen = 127.0.0.1
Ports = ${port}
Password = ${password}
MotdPhrase = hello
[Limits]
MaxNickLength = 20
[Options]
DNS = no
Ident = no
PAM = no
[Channel]
Name = #closed
Modes = i
`;

/** ngIRCd, with somebody who listens. */
export async function ircServer(): Promise<IrcServer> {
  const port = await freePort();
  const file = join(temporaryFolder('irc'), 'ngircd.conf');
  writeFileSync(file, configuration(port));
  const server = spawn('/usr/sbin/ngircd', ['-n', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  const socket = await listen(port, () => server.exitCode === null);
  const heard: string[] = [];
  const said: string[] = [];
  createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
    if (line.startsWith('PING')) socket.write(`PONG ${line.slice(5)}\r\n`);
    else if (/^\S+ PRIVMSG /.test(line)) heard.push(line);
    else said.push(line);
  });
  socket.write(`PASS ${password}\r\nNICK ann\r\nUSER ann 0 * :Ann\r\nJOIN #ops\r\nJOIN ${longChannel}\r\n`);
  await until(async () => said.filter((line) => / 366 ann /.test(line)).length === 2, 30_000, 'that ann has joined');
  return {
    port,
    heard,
    async stop() {
      socket.destroy();
      server.kill();
      await ended;
    },
  };
}

/** @throws where it has ended */
async function listen(port: number, isAlive: () => boolean): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      return socket;
    } catch (error) {
      if (!isAlive()) throw error;
      await delay(50);
    }
  }
}
