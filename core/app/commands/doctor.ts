import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../observe/log.ts';
import { createContainerTool } from '../../runner/container/container-tool.ts';
import { createEngineTool } from '../../runner/engine-tool.ts';
import { loadConfig } from '../../config/config.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkMachine } from '../doctor/machine.ts';
import { checkFiles } from '../doctor/files.ts';
import { checkEngine } from '../doctor/engine.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkPlugins } from '../doctor/plugins.ts';
import { printFindings } from '../doctor/print.ts';

/** Looks, changes nothing; exit code 1 when something does not work at all. */
export async function doctor(): Promise<void> {
  const config = loadConfig();
  const log = createLog({ config: { ...config, logLevel: 'silent' } });
  // the probe leaves a cache in the data folder: one that does not exist yet must not be made by looking
  const scratch = mkdtempSync(join(tmpdir(), 'tapline-doctor-'));
  const engineTool = createEngineTool({
    config: existsSync(config.dataDir) ? config : { ...config, dataDir: scratch },
    log,
  });
  const [engine, database, plugins] = await Promise.all([
    checkEngine(engineTool, createContainerTool({ config }), config),
    checkDatabase(config),
    checkPlugins(config),
  ]);
  rmSync(scratch, { recursive: true });
  const findings: Finding[] = [...checkMachine(config), ...checkFiles(config), ...engine, ...database, ...plugins];
  printFindings(findings);
}
