import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installAwx } from './awx.mjs';
import { aptInstall, canApt, findProgram } from './debian.mjs';
import { announce, say, tail } from './run.mjs';

/** Programs that tests run, with the Debian package that brings each. */
export const testTools = [
  { tool: 'sshd', package: 'openssh-server', use: 'hosts reached by ssh' },
  { tool: 'ssh', package: 'openssh-client', use: 'hosts reached by ssh' },
  { tool: 'sshpass', package: 'sshpass', use: 'ssh with a password' },
  { tool: 'bwrap', package: 'bubblewrap', use: 'playbooks shut in' },
  { tool: 'sudo', package: 'sudo', use: 'become' },
  { tool: 'git', package: 'git', use: 'projects from git' },
  { tool: 'chromium', package: 'chromium', use: 'the console in a browser' },
];

/** Installs what is missing where we may; what stays missing is left in a file for the test runner. */
export async function installTestTools(root) {
  let missing = testTools.filter(({ tool }) => !findProgram(tool));
  let reason = 'it is not installed, and only root can install it';
  if (missing.length && canApt()) {
    const packages = missing.map((entry) => entry.package);
    announce(`installing Debian packages that the tests need: ${packages.join(' ')} …`);
    const result = await aptInstall(packages);
    announce(
      result.ok
        ? `installed ${packages.join(' ')}`
        : `could not install ${packages.join(' ')}: ${tail(result.output, 3)}`,
    );
    missing = testTools.filter(({ tool }) => !findProgram(tool));
    reason = 'apt-get could not install it';
  }
  const found = missing.map((entry) => ({ ...entry, package: `Debian package ${entry.package}`, reason }));
  const noAwx = await installAwx(root);
  if (noAwx) found.push({ tool: 'awx', package: 'Python package awxkit', use: 'the real client', reason: noAwx });
  for (const entry of found) say(`missing for the tests: ${entry.tool} (${entry.package}): ${entry.reason}`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(join(root, '.cache', 'missing-tools.json'), JSON.stringify(found, null, 2));
}
