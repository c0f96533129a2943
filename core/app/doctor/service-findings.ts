import type { Config } from '../../config/config.ts';
import type { ContainerTool } from '../../runner/container/container-tool.ts';
import type { EngineTool } from '../../runner/engine-tool.ts';
import { checkDatabase } from './database.ts';
import { checkEngine } from './engine.ts';
import { checkFiles } from './files.ts';
import type { Finding } from './finding.ts';
import { checkMachine } from './machine.ts';

export interface SystemFindings {
  /** What the doctor of the command line says of this node, but for plugins that are not loaded. */
  read: () => Promise<Finding[]>;
}

/** Whoever asks again within this time gets the same answer: looking opens a connection and runs programs. */
const keptMs = 10_000;

export function createSystemFindings({
  config,
  engineTool,
  containerTool,
}: {
  config: Config;
  engineTool: EngineTool;
  containerTool: ContainerTool;
}): SystemFindings {
  let kept: { at: number; findings: Promise<Finding[]> } | undefined;
  const look = async () => {
    const [engine, database] = await Promise.all([
      checkEngine(engineTool, containerTool, config),
      checkDatabase(config),
    ]);
    return [...checkMachine(config), ...checkFiles(config), ...engine, ...database];
  };
  return {
    read() {
      if (!kept || Date.now() - kept.at > keptMs) kept = { at: Date.now(), findings: look() };
      return kept.findings;
    },
  };
}
