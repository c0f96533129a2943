import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPythons, newest, oldest, pipOf, readStamp, writeStamp } from './python.mjs';
import { announce, run, tail } from './run.mjs';

const unpack = `
import sys, zipfile
wheel, folder, prefix = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(folder, [name for name in archive.namelist() if name.startswith(prefix)])
`;

/**
 * The engine's collection for the service that we are a sibling of, into .tools/collections. It is published on Galaxy, and
 * within the package of all collections on PyPI: of that its files alone are kept, 1 MB of 500. Resolves to why there is none, or nothing.
 */
export async function installCollection(root) {
  const folder = join(root, '.tools', 'collections');
  const requirements = join(root, 'setup', 'awx-collection-requirements.txt');
  const stamp = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (readStamp(folder) === stamp) return undefined;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(root, '.tools'), { recursive: true });
  let reason = `no Python 3.${oldest} to 3.${newest} was found`;
  for (const python of await findPythons()) {
    announce(`taking the collection awx.awx for the tests into .tools/collections with ${python} …`);
    const aside = mkdtempSync(join(root, '.tools', 'collections-'));
    const problem = await take(python, requirements, aside);
    if (!problem) {
      const taken = join(aside, 'taken');
      writeStamp(taken, stamp);
      renameSync(taken, folder);
    }
    rmSync(aside, { recursive: true, force: true });
    if (!problem) return undefined;
    reason = problem;
  }
  return `it could not be installed: ${reason}`;
}

async function take(python, requirements, aside) {
  const pip = await pipOf(python);
  if (!pip) return 'it has neither the module pip nor can another pip serve it';
  const wanted = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--disable-pip-version-check', '--no-input'];
  const args = [...pip[1], 'download', ...wanted, '--timeout', '20', '--retries', '2', '-d', aside, '-r', requirements];
  const fetched = await run(pip[0], args, { label: 'fetching the collection awx.awx' });
  const wheel = readdirSync(aside).find((name) => name.endsWith('.whl'));
  if (!fetched.ok || !wheel) return tail(fetched.output, 3);
  const taken = join(aside, 'taken');
  const unpacked = await run(python, ['-c', unpack, join(aside, wheel), taken, 'ansible_collections/awx/']);
  if (!unpacked.ok) return tail(unpacked.output, 3);
  return existsSync(join(taken, 'ansible_collections', 'awx', 'awx', 'MANIFEST.json'))
    ? ''
    : 'it is not in the package';
}
