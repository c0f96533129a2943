import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPythons, makeEnvironment, newest, oldest } from './python.mjs';
import { announce, run, tail } from './run.mjs';

/** The `awx` command in .tools/awx, which the tests drive; why there is none, or nothing. */
export async function installAwx(root) {
  const folder = join(root, '.tools', 'awx');
  const requirements = join(root, 'setup', 'awx-requirements.txt');
  const stampFile = join(folder, '.tapline-stamp');
  const stamp = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return undefined;
  rmSync(folder, { recursive: true, force: true });
  let reason = `no Python 3.${oldest} to 3.${newest} was found`;
  for (const python of await findPythons()) {
    announce(`installing the awx command for the tests into .tools/awx with ${python} …`);
    const { problem } = await makeEnvironment(folder, python, requirements, 'installing the awx command');
    const check = problem ? undefined : await run(join(folder, 'bin', 'awx'), ['--version']);
    if (check?.ok) {
      writeFileSync(stampFile, stamp);
      return undefined;
    }
    reason = problem ?? `installed, but it does not run: ${tail(check.output, 3)}`;
    rmSync(folder, { recursive: true, force: true });
  }
  return `it could not be installed: ${reason}`;
}
