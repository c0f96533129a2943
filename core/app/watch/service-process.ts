import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../config/config.ts';
import type { Up } from '../commands/serve.ts';

export interface ServiceProcess {
  /** once it serves; never when it ends before */
  up: Promise<Up>;
  ended: Promise<void>;
  /** it was asked to stop */
  readonly stopping: boolean;
  /** Asks it to stop, and ends it where it does not. */
  stop(): Promise<void>;
}

/** Running jobs do not mind, and whoever waits for a change does not want to wait for a hang. */
const patienceMs = 10_000;

/** The service in a process of its own, which stops when this one is gone. */
export function startServiceProcess(env: Record<string, string>): ServiceProcess {
  const child = spawn(process.execPath, [...process.execArgv, join(root, 'core', 'main.js'), 'serve', '--supervised'], {
    env: { ...process.env, ...env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  let stopping = false;
  const up = Promise.withResolvers<Up>();
  const ended = Promise.withResolvers<void>();
  child.on('message', (message) => up.resolve(message as Up));
  child.on('exit', () => ended.resolve());
  child.on('error', () => ended.resolve());
  return {
    up: up.promise,
    ended: ended.promise,
    get stopping() {
      return stopping;
    },
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended.promise;
      clearTimeout(timer);
    },
  };
}
