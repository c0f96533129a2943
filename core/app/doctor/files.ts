import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { dataDirProblem, isTraversable } from '../../config/data-dir.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Who can read what lies in the data folder. */
export function checkFiles(config: Pick<Config, 'dataDir' | 'secretKey' | 'databaseUrl'>): Finding[] {
  const { dataDir } = config;
  const unusable = usable(dataDir);
  if (unusable) return [unusable];
  if (!existsSync(dataDir)) return [ok(`data folder ${dataDir} is made at the first start`)];
  const findings: Finding[] = [folder(dataDir)];
  if (config.secretKey) findings.push(ok('secrets are encrypted with TAPLINE_SECRET_KEY'));
  else findings.push(secretFile(join(dataDir, 'keys.json'), 'key ring'));
  const initial = join(dataDir, 'admin-password');
  if (existsSync(initial)) {
    findings.push(secretFile(initial, 'initial password'));
    findings.push(warn('the generated password of "admin" may still be in use', `Change it, then remove ${initial}.`));
  }
  if (process.getuid?.() === 0 && !config.databaseUrl && !isTraversable(dataDir)) {
    findings.push(
      fail(
        `${dataDir} lies below a private folder: the embedded Postgres runs as another user and cannot enter`,
        'Set TAPLINE_DATA to a folder such as /var/lib/tapline.',
      ),
    );
  }
  return findings;
}

/** Nothing can be started where it, or what it would be made in, cannot be written. */
function usable(dataDir: string): Finding | undefined {
  let at = dataDir;
  while (!existsSync(at)) at = dirname(at);
  try {
    // of a file, too, this asks for what a folder has
    accessSync(join(at, '.'), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const [what, ...remedy] = dataDirProblem(dataDir, error as NodeJS.ErrnoException).split(/(?<=\.) /);
    return fail(what!, remedy.join(' '));
  }
}

function folder(path: string): Finding {
  const { mode, uid } = statSync(path);
  const open = mode & 0o066;
  const foreign = process.getuid !== undefined && uid !== process.getuid();
  if (foreign)
    return warn(
      `data folder ${path} belongs to user ${uid}, not to the user of this command`,
      'Run as the user who owns it, always the same one.',
    );
  return open
    ? warn(
        `data folder ${path} can be listed or written by others (mode ${(mode & 0o777).toString(8)})`,
        `chmod go-rw ${path}`,
      )
    : ok(`data folder ${path}`);
}

function secretFile(path: string, name: string): Finding {
  if (!existsSync(path)) return ok(`${name}: made when it is first needed`);
  const mode = statSync(path).mode & 0o777;
  return mode & 0o077
    ? fail(`${name} ${path} can be read by others (mode ${mode.toString(8)})`, `chmod 600 ${path}`)
    : ok(`${name} ${path}, mode 600`);
}
