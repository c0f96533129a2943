import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { until } from '@tapline/plugin-sdk/testing';

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export interface Opa {
  url: string;
  stop(): Promise<void>;
}

/** The real engine, with nothing in it. */
export async function startOpa(port?: number): Promise<Opa> {
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const path = [join(import.meta.dirname, '../../../.tools/opa'), process.env['PATH']].join(delimiter);
  const child: ChildProcess = spawn('opa', ['run', '--server', '--addr', address, '--log-level', 'error'], {
    env: { PATH: path },
    stdio: 'ignore',
  });
  const url = `http://${address}`;
  await until(() =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
