import { fork } from 'node:child_process';
import { join } from 'node:path';
import { ApiError } from '@tapline/plugin-sdk';
import type { Places } from '../../plugins/find/resolve.ts';
import type { KnownPlugin } from '../../plugins/switch/known.ts';

/** A module that does not end its import is nothing to wait for. */
const patienceMs = 20_000;

/** What names stand for, without running code of plugins in this process. @throws ApiError where that cannot be told */
export function lookApart(names: readonly string[], { root, dataDir }: Places): Promise<KnownPlugin[]> {
  const child = fork(join(import.meta.dirname, 'look.ts'), [], {
    cwd: root,
    // nothing of the service's own environment: it holds secrets
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    const lost = () => reject(new ApiError(503, { detail: 'The modules of the plugins could not be looked at.' }));
    child.once('message', (found: KnownPlugin[]) => {
      resolve(found);
      child.kill('SIGKILL');
    });
    child.once('error', lost);
    child.once('exit', lost);
    child.send({ names, places: { root, dataDir } }, (error) => error && lost());
  });
}
