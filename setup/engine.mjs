import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { announce, run, say, SetupError, tail } from './run.mjs';
import { aptInstall, canApt, findProgram } from './debian.mjs';
import { environmentStamp, findPythons, makeEnvironment, newest, oldest, readStamp, writeStamp } from './python.mjs';

const folderOf = (root) => join(root, '.tools', 'engine');
const requirementsOf = (root) => join(root, 'setup', 'engine-requirements.txt');

/** What is missing of the engine, undefined where nothing is. */
export function missingEngine(root) {
  const folder = folderOf(root);
  if (process.env.ENGINE_COMMAND) return undefined;
  if (!existsSync(join(folder, 'bin', 'ansible-playbook'))) return 'the automation engine';
  const noted = readStamp(folder);
  if (noted === 'debian' || noted === environmentStamp(folder, requirementsOf(root))) return undefined;
  return 'an engine that fits this folder, its Python and the wanted version';
}

/** The pinned engine in .tools/engine; else Debian's, as root; else an error that says what to install. */
export async function installEngine(root) {
  if (process.env.ENGINE_COMMAND) return say(`engine: ${process.env.ENGINE_COMMAND} (ENGINE_COMMAND)`);
  const folder = folderOf(root);
  const requirements = requirementsOf(root);
  if (!missingEngine(root)) return undefined;

  // another user runs the engine: it must be readable whatever our umask is
  process.umask(0o022);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, '.tools'), { recursive: true });
  const problems = [];
  for (const python of await findPythons()) {
    const problem = await installInto(folder, python, requirements);
    if (!problem) return writeStamp(folder, environmentStamp(folder, requirements));
    problems.push(`${python}: ${problem}`);
    rmSync(folder, { recursive: true, force: true });
  }
  if (!problems.length) problems.push(`no Python 3.${oldest} to 3.${newest} was found`);
  return installDebianEngine(folder, problems);
}

async function installInto(folder, python, requirements) {
  announce(`installing the engine into .tools/engine with ${python} …`);
  const { problem, seconds } = await makeEnvironment(folder, python, requirements, 'installing the engine');
  if (problem) return problem;
  const check = await run(join(folder, 'bin', 'ansible-playbook'), ['--version']);
  if (!check.ok) return `installed, but it does not run: ${tail(check.output, 3)}`;
  announce(`engine installed in ${seconds} s: ${check.output.split('\n')[0]}`);
  return '';
}

async function installDebianEngine(folder, problems) {
  const reasons = problems.map((problem) => `  ${problem}`).join('\n');
  if (canApt()) {
    announce(
      `the pinned engine could not be installed:\n${reasons}\nTaking Debian's ansible-core (apt-get install ansible-core) …`,
    );
    const result = await aptInstall(['ansible-core']);
    if (result.ok && findProgram('ansible-playbook')) return linkDebianEngine(folder);
    problems.push(`apt-get install ansible-core: ${tail(result.output, 3)}`);
  } else if (findProgram('ansible-playbook')) {
    problems.push(
      `${findProgram('ansible-playbook')} exists: to use it, set ENGINE_COMMAND=${findProgram('ansible-playbook')}`,
    );
  }
  throw new SetupError(
    `No automation engine:\n${problems.map((problem) => `  ${problem}`).join('\n')}\n` +
      `Install one of these, then run the command again:\n` +
      `  - Python 3.${oldest} to 3.${newest} with the venv module (Debian: apt-get install python3 python3-venv), with a package index that pip can reach\n` +
      `  - Debian's engine: apt-get install ansible-core (as root set-up does it by itself)\n` +
      `  - any ansible-playbook, named by ENGINE_COMMAND=/path/to/ansible-playbook`,
  );
}

function linkDebianEngine(folder) {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const name of readdirSync('/usr/bin'))
    if (name.startsWith('ansible')) symlinkSync(`/usr/bin/${name}`, join(folder, 'bin', name));
  symlinkSync('/usr/bin/python3', join(folder, 'bin', 'python3'));
  symlinkSync('/usr/bin/python3', join(folder, 'bin', 'python'));
  writeStamp(folder, 'debian');
  announce("engine: Debian's ansible-core");
}
