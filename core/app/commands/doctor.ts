import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../observe/log.ts';
import { createEngineTool } from '../../runner/engine-tool.ts';
import { loadConfig } from '../config.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkMachine } from '../doctor/machine.ts';
import { checkFiles } from '../doctor/files.ts';
import { checkEngine } from '../doctor/engine.ts';
import type { Finding } from '../doctor/finding.ts';

const marks = { ok: 'ok     ', warn: 'warning', fail: 'FAILED ' };

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
  const [engine, database] = await Promise.all([checkEngine(engineTool), checkDatabase(config)]);
  rmSync(scratch, { recursive: true });
  const findings: Finding[] = [...checkMachine(config), ...checkFiles(config), ...engine, ...database];
  for (const { level, what, remedy } of findings) {
    console.log(`${marks[level]}  ${what}`);
    if (remedy && level !== 'ok') console.log(`         → ${remedy}`);
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  console.log(`${count('ok')} fine, ${count('warn')} to look at, ${count('fail')} failed`);
  if (count('fail')) process.exitCode = 1;
}
