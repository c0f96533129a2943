import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What the process has no use for any more goes. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** In a function of its own, whose variables are gone once it returns. */
async function startAndStop(): Promise<WeakRef<object>> {
  const service = await startService({ TAPLINE_PLUGINS: 'eda,scanning' });
  await service.get('jobs/');
  const catalog = new WeakRef(service.services.catalog);
  await service.stop();
  return catalog;
}

describe('a service that has ended', () => {
  // the timers and caches of a library would keep all of it: tests, which start hundreds, and whoever starts one in a process of their own
  it('is held by nothing', async () => {
    const catalog = await startAndStop();
    await until(() => {
      collect();
      return catalog.deref() === undefined;
    });
  });
});
