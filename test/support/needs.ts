import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../core/app/config.ts';

export interface SkippedSuite {
  title: string;
  tests: number;
  reason: string;
}

export const skippedSuites: SkippedSuite[] = [];

/** For tests that must have several users: only root may change to another one. */
export const isRoot = process.getuid?.() === 0;

interface MissingTool {
  tool: string;
  package: string;
  reason: string;
}

/** What set-up could not install, and why. */
function missingTools(): Map<string, MissingTool> {
  const file = join(root, '.cache', 'missing-tools.json');
  const entries: MissingTool[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return new Map(entries.map((entry) => [entry.tool, entry]));
}

const ownTools = join(root, '.tools', 'awx', 'bin');
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin', ownTools];
const exists = (tool: string) => (tool === 'root' ? isRoot : folders.some((folder) => existsSync(join(folder, tool))));

/** A suite that needs programs, or to be `root`: without them it is listed with the reason and counted as skipped, never silently left out. */
export function describeWith(tools: string[], title: string, define: (this: Mocha.Suite) => void): void {
  const missing = tools.filter((tool) => !exists(tool));
  const suite = describe(title, define);
  if (!missing.length) return;
  const known = missingTools();
  const reasons = missing.map((tool) =>
    tool === 'root'
      ? 'only root may do what it needs'
      : `${tool} is missing (${known.get(tool)?.package ?? 'npm run setup -- --test installs it'}): ${known.get(tool)?.reason ?? 'not installed'}`,
  );
  skippedSuites.push({ title: suite.fullTitle(), tests: suite.total(), reason: reasons.join('; ') });
  const { parent } = suite;
  if (parent) parent.suites.splice(parent.suites.indexOf(suite), 1);
}
