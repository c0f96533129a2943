import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createSocket } from 'node:dgram';
import { join } from 'node:path';
import { within } from './progress.ts';

export interface EngineClock {
  /** path for ENGINE_COMMAND */
  command: string;
  /** performance.now() of every engine start and end, in order of arrival */
  starts: number[];
  ends: number[];
  /** ask before the launch: it may come before the launch is answered */
  nextStart(): Promise<number>;
  nextEnd(): Promise<number>;
  close(): void;
}

/**
 * A stand-in command that tells us over loopback when the real engine begins and ends, so that the
 * engine's own lifetime is known without asking the service that is being measured.
 */
export async function engineClock(folder: string, engine: string): Promise<EngineClock> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  chmodSync(folder, 0o755); // playbooks run as another user
  const command = join(folder, 'ansible-playbook');
  const port = socket.address().port;
  writeFileSync(
    command,
    `#!/bin/bash
case " $* " in *" --version "*) exec ${engine} "$@" ;; esac
echo s > /dev/udp/127.0.0.1/${port}
${engine} "$@"
code=$?
echo e > /dev/udp/127.0.0.1/${port}
exit $code
`,
  );
  chmodSync(command, 0o755);
  const starts: number[] = [];
  const ends: number[] = [];
  const waiting = { s: [] as ((at: number) => void)[], e: [] as ((at: number) => void)[] };
  socket.on('message', (data) => {
    const at = performance.now();
    const what = data[0] === 's'.charCodeAt(0) ? 's' : 'e';
    (what === 's' ? starts : ends).push(at);
    waiting[what].shift()?.(at);
  });
  return {
    command,
    starts,
    ends,
    nextStart: () => within(120, 'the start of the engine', new Promise((resolve) => waiting.s.push(resolve))),
    nextEnd: () => within(120, 'the end of the engine', new Promise((resolve) => waiting.e.push(resolve))),
    close: () => void socket.close(),
  };
}
