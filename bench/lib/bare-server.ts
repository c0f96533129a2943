import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from './progress.ts';
import { freePort, root } from './service.ts';

export interface BareServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/** One of the servers in this folder as its own process; they take the port as their first argument. */
export async function startBare(script: string, ...args: string[]): Promise<BareServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(root, 'bench/lib', script), String(port), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined;
  const started = async () => {
    while (!(await answers())) await delay(20);
  };
  await within(30, 'the start of the bare server', started());
  return {
    port,
    pid: child.pid!,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
