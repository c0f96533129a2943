import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface Key {
  id: string;
  secret: Buffer;
  /** ISO 8601; null for the active key */
  retired: string | null;
}

/** The id follows from the key, so that nodes with the same keys agree on their names. */
export const keyId = (secret: Buffer) =>
  createHash('sha256').update('tapline key id').update(secret).digest('hex').slice(0, 12);

export const newKey = (): Key => {
  const secret = randomBytes(32);
  return { id: keyId(secret), secret, retired: null };
};

/** Changes whenever the file was replaced: cheap enough to ask before every use. */
export function keyFileVersion(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : '';
}

export function readKeyFile(path: string): Key[] {
  const file = openSync(path, 'r');
  try {
    const { mode } = fstatSync(file);
    if (mode & 0o077) {
      const shown = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Error(
        `The key ring ${path} is open to other users (mode ${shown}). Check who read it, then run: chmod 600 ${path}`,
      );
    }
    return parseKeys(readFileSync(file, 'utf8'), path);
  } finally {
    closeSync(file);
  }
}

function parseKeys(text: string, path: string): Key[] {
  try {
    const keys = (JSON.parse(text) as { keys: { key: string; retired?: string | null }[] }).keys.map((entry) => {
      const secret = Buffer.from(entry.key, 'base64');
      if (secret.length !== 32) throw new Error('a key is not 32 bytes long');
      return { id: keyId(secret), secret, retired: entry.retired ?? null };
    });
    if (!keys.length) throw new Error('it holds no key');
    return keys;
  } catch (error) {
    // the parser's own words may quote the file
    const reason =
      error instanceof SyntaxError || error instanceof TypeError
        ? 'it is not the JSON that was written'
        : (error as Error).message;
    // oxlint-disable-next-line preserve-caught-error -- the parser's error quotes the keys
    throw new Error(
      `The key ring ${path} cannot be read: ${reason}. Restore it from a backup: without it stored secrets are lost.`,
    );
  }
}

/** Writes the whole ring at once. With `create`, an existing ring wins and stays as it is. */
export function writeKeyFile(path: string, keys: Key[], create = false): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const entries = keys.map(({ id, secret, retired }) => ({ id, key: secret.toString('base64'), retired }));
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify({ version: 1, keys: entries }, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (!create) return renameSync(temporary, path);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary);
  }
}
