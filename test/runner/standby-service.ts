import { createEngineTool } from '../../core/runner/engine-tool.ts';
import { createLocalExecutor } from '../../core/runner/local-executor.ts';
import { text } from 'node:stream/consumers';
import { silentLog } from '../support/log.ts';
import { until } from '../support/until.ts';
import { standbys } from './standbys.ts';

/** As much of a service as begins a job: its process gets the signals of a test. */
const { root, dataDir, spec } = JSON.parse(await text(process.stdin));
const engineTool = createEngineTool({ config: { root, dataDir, engineCommand: '' }, log: silentLog });
const executor = createLocalExecutor({ config: { dataDir }, log: silentLog, engineTool });
process.on('SIGTERM', () => {
  executor.close();
  process.exit(0);
});
await executor.standBy();
await until(() => standbys(process.pid).length > 0);
console.log(JSON.stringify(await executor.start(spec)));
setInterval(() => undefined, 60_000);
