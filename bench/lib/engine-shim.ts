import { execFileSync } from 'node:child_process';
import { chmodSync, constants, openSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
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
 * A stand-in command that tells us through a pipe when the real engine begins and ends, so that the engine's own
 * lifetime is known without asking the service that is being measured. A plain shell: what takes long to start itself
 * would be counted as the service's time.
 * @param siblings other programs of the engine to stand in for
 */
export function engineClock(folder: string, engine: string, siblings: readonly string[] = []): EngineClock {
  chmodSync(folder, 0o755); // playbooks run as another user
  const pipe = join(folder, 'clock');
  execFileSync('mkfifo', [pipe]);
  chmodSync(pipe, 0o666);
  // for writing as well: it does not end with a writer; the shell opens it for reading as well: it waits for no reader
  const socket = new Socket({ fd: openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK), readable: true });
  const command = join(folder, 'ansible-playbook');
  for (const name of ['ansible-playbook', ...siblings]) {
    const program = join(dirname(engine), name);
    const script = `#!/bin/sh
case " $* " in *" --version "*) exec ${program} "$@" ;; esac
echo s 1<> ${pipe}
${program} "$@"
code=$?
echo e 1<> ${pipe}
exit $code
`;
    writeFileSync(join(folder, name), script, { mode: 0o755 });
  }
  const starts: number[] = [];
  const ends: number[] = [];
  const waiting = { s: [] as ((at: number) => void)[], e: [] as ((at: number) => void)[] };
  socket.on('data', (data) => {
    const at = performance.now();
    for (const what of data.toString().trim().split('\n') as ('s' | 'e')[]) {
      (what === 's' ? starts : ends).push(at);
      waiting[what].shift()?.(at);
    }
  });
  return {
    command,
    starts,
    ends,
    nextStart: () => within(120, 'the start of the engine', new Promise((resolve) => waiting.s.push(resolve))),
    nextEnd: () => within(120, 'the end of the engine', new Promise((resolve) => waiting.e.push(resolve))),
    close: () => void socket.destroy(),
  };
}
