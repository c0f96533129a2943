import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { DeliveryError, type NotificationKind } from '@tapline/plugin-sdk';

const timeoutMs = 30_000;
/** bytes that a server may say */
const mostRead = 1_048_576;
/** Bytes of a line without its end, RFC 2812 §2.3: what is longer is cut by the server, in the middle of a character maybe. */
const longestLine = 510;
/** What a server puts before a line for those that it tells: `:nick!user@host `, where a host has up to 63 bytes. */
const senderBytes = (nick: string) => 2 * bytesOf(nick) + 68;
const longestName = 100;
const longestPassword = 500;
const welcome = '001';
/** RFC 2812 §5.2: what is answered to joining and to what is said */
const refusals = new Set(['401', '403', '404', '405', '437', '442', '471', '473', '474', '475', '477', '489']);
/** The name is taken, is none, or the password is wrong. */
const rejections = new Set(['432', '433', '436', '464', '465', 'ERROR']);

const bytesOf = (text: string) => Buffer.byteLength(text);
/** As much as fits, in whole characters. */
const cut = (text: string, bytes: number) =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes))).read);

/** What could begin another line, or another word of one, stays out. */
const word = (text: string) => text.replaceAll(/[\s\0]/g, '').replace(/^:/, '');

export const irc: NotificationKind = {
  kind: 'irc',
  label: 'IRC',
  parts: 'message',
  recipients: 'targets',
  fields: {
    server: { label: 'IRC Server Address', type: 'string' },
    port: { label: 'IRC Server Port', type: 'int' },
    nickname: { label: 'IRC Nick', type: 'string' },
    password: { label: 'IRC Server Password', type: 'password' },
    use_ssl: { label: 'SSL Connection', type: 'bool' },
    targets: { label: 'Destination Channels or Users', type: 'list' },
  },
  check: ({ port, nickname, password, targets }) => [
    ...(Number(port) >= 1 && Number(port) <= 65_535 ? [] : ['port must be 1 to 65535.']),
    ...(word(String(nickname)) ? [] : ['nickname must not be empty.']),
    ...(bytesOf(String(password)) > longestPassword ? [`password has more than ${longestPassword} bytes.`] : []),
    ...[String(nickname), ...(targets as string[])]
      .filter((name) => bytesOf(name) > longestName)
      .map((name) => `${name.slice(0, 20)}… has more than ${longestName} bytes: no line of IRC holds it.`),
  ],
  async send({ configuration, subject }, tools) {
    const { server, nickname, password } = configuration as Record<string, string>;
    const socket = await tools.connect({
      host: server!,
      port: Number(configuration['port']),
      tls: Boolean(configuration['use_ssl']),
    });
    const targets = (configuration['targets'] as string[]).map(word);
    try {
      await talk(socket, tools.signal, { nick: word(nickname!), password: password!, targets, text: subject });
      return { sent: targets.length };
    } finally {
      socket.destroy();
    }
  },
};

interface Talk {
  nick: string;
  password: string;
  targets: readonly string[];
  text: string;
}

/** Registers, joins, says its line to each and leaves; that a PING after all of it is answered proves that it was read. */
function talk(socket: Socket, signal: AbortSignal, { nick, password, targets, text }: Talk): Promise<void> {
  const last = `tapline-${nick}`;
  const say = (line: string) => void socket.write(`${cut(line, longestLine)}\r\n`);
  const refused: string[] = [];
  const speak = () => {
    for (const target of targets) if (/^[#&+!]/.test(target)) say(`JOIN ${target}`);
    const line = text.replaceAll(/[\r\n\0]+/g, ' ');
    for (const target of targets) {
      const command = `PRIVMSG ${target} :`;
      say(command + cut(line, longestLine - senderBytes(nick) - bytesOf(command)));
    }
    say(`PING :${last}`);
  };
  return new Promise((resolve, reject) => {
    const end = (reason: string, final = false) => reject(new DeliveryError(reason, { final }));
    const timer = setTimeout(() => end('The server did not answer in time.'), timeoutMs);
    const stop = () => end('It took too long.');
    signal.addEventListener('abort', stop, { once: true });
    const lines = createInterface({ input: socket, crlfDelay: Infinity });
    lines.on('line', (line) => {
      const { command, rest } = parse(line);
      if (command === 'PING') say(`PONG ${rest}`);
      else if (command === welcome) speak();
      else if (refusals.has(command)) refused.push(rest);
      else if (rejections.has(command)) end(`The server refused: ${rest}`);
      else if (command === 'PONG' && rest.includes(last)) {
        say('QUIT');
        if (refused.length) end(`The server refused: ${refused.join('; ')}`, true);
        else resolve();
      }
    });
    let read = 0;
    socket.on('data', (part) => {
      read += part.length;
      if (read > mostRead) end('The server says too much.');
    });
    socket.once('error', (error) => end(`The connection broke: ${error.message}`));
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      lines.close();
      end('The server ended the connection.');
    });
    if (password) say(`PASS ${word(password)}`);
    say(`NICK ${nick}`);
    say(`USER ${nick} 0 * :${nick}`);
  });
}

/** `[:prefix] COMMAND rest`, RFC 2812 §2.3.1 */
function parse(line: string): { command: string; rest: string } {
  const [, command = '', rest = ''] = /^(?::\S{1,500} +)?(\S{1,100}) *(.{0,400})/.exec(line) ?? [];
  return { command: command.toUpperCase(), rest };
}
