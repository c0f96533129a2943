import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Key, keyFileVersion, keyId, newKey, readKeyFile, writeKeyFile } from './key-file.ts';

/** Where a secret is stored: it can be read back from there and from nowhere else. */
export interface Cell {
  table: string;
  column: string;
  id: number | string;
}

export interface KeyRing {
  encrypt(plain: string, cell: Cell): string;
  /** Throws when the key is missing, the text was changed, or it comes from another cell. */
  decrypt(text: string, cell: Cell): string;
  activeKeyId(): string;
  keyIds(): string[];
  /** False while the keys come from the environment: then whoever runs the service changes them there. */
  readonly writable: boolean;
  /** Makes a new key the active one. Not possible while the keys come from the environment. */
  rotate(): string;
  /** Forgets retired keys; the active one stays whatever is asked. */
  drop(ids: string[]): void;
  /** The retired keys, with the time since when. */
  retired(): { id: string; since: string }[];
}

const prefix = 'tap1';
const pattern = /^tap1:([0-9a-f]{12}):([\w-]{38,})$/;

export const isCiphertext = (text: unknown): text is string => typeof text === 'string' && pattern.test(text);
export const ciphertextKeyId = (text: string): string | null => pattern.exec(text)?.[1] ?? null;

const associated = ({ table, column, id }: Cell) => Buffer.from(`${table}.${column}.${id}`);

function seal(key: Key, plain: string, cell: Cell): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key.secret, nonce).setAAD(associated(cell));
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${prefix}:${key.id}:${sealed.toString('base64url')}`;
}

function open(key: Key, body: string, cell: Cell): string {
  const sealed = Buffer.from(body, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key.secret, sealed.subarray(0, 12), { authTagLength: 16 })
    .setAAD(associated(cell))
    .setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8');
}

/** Where the keys come from; `read` notices when another process has changed them. */
interface KeySource {
  writable: boolean;
  read(): Key[];
  write(keys: Key[]): void;
}

const minSecretLength = 32;

/**
 * TAPLINE_SECRET_KEY: one secret, or several separated by commas; the first one encrypts.
 * A key file from before still opens what it once sealed.
 */
function environmentKeys(value: string, path: string): KeySource {
  const secrets = value
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  if (!secrets.length || secrets.some((secret) => secret.length < minSecretLength)) {
    throw new Error(
      `TAPLINE_SECRET_KEY needs at least ${minSecretLength} random characters per key, such as the output of: openssl rand -base64 32`,
    );
  }
  const longAgo = new Date(0).toISOString();
  const keys = secrets.map((text, index) => {
    const secret = Buffer.from(hkdfSync('sha256', text, 'tapline', 'secret key', 32));
    return { id: keyId(secret), secret, retired: index ? longAgo : null };
  });
  const older = keyFileVersion(path)
    ? readKeyFile(path).map((key) => ({ ...key, retired: key.retired ?? longAgo }))
    : [];
  return {
    writable: false,
    read: () => [...keys, ...older],
    write: () => {
      throw new Error(
        'The keys come from TAPLINE_SECRET_KEY: put the new secret before the old one, separated by a comma, then rotate',
      );
    },
  };
}

function fileKeys(path: string): KeySource {
  let keys: Key[] = [];
  let version = '';
  return {
    writable: true,
    read() {
      const found = keyFileVersion(path);
      if (!found) writeKeyFile(path, [newKey()], true);
      if (!found || found !== version) {
        version = keyFileVersion(path);
        keys = readKeyFile(path);
      }
      return keys;
    },
    write: (changed) => writeKeyFile(path, changed),
  };
}

/** Secrets at rest: AES-256-GCM under the active key, each bound to its table, column and row. */
export function createKeyRing({ config }: { config: { dataDir: string; secretKey: string } }): KeyRing {
  const path = join(config.dataDir, 'keys.json');
  const source = config.secretKey ? environmentKeys(config.secretKey, path) : fileKeys(path);
  const active = (keys: Key[]) => keys.find((key) => key.retired === null) ?? keys[0]!;
  return {
    writable: source.writable,
    encrypt: (plain, cell) => seal(active(source.read()), plain, cell),
    decrypt(text, cell) {
      const [, id, body] = pattern.exec(text) ?? [];
      if (!id || !body)
        throw new Error(`The secret in ${cell.table}.${cell.column} of ${cell.id} is not an encrypted value`);
      const key = source.read().find((one) => one.id === id);
      if (!key)
        throw new Error(
          `The key ${id} is not in the key ring: the secret in ${cell.table}.${cell.column} of ${cell.id} cannot be read`,
        );
      try {
        return open(key, body, cell);
      } catch {
        throw new Error(`The secret in ${cell.table}.${cell.column} of ${cell.id} was altered or belongs elsewhere`);
      }
    },
    activeKeyId: () => active(source.read()).id,
    keyIds: () => source.read().map((key) => key.id),
    rotate() {
      const key = newKey();
      const now = new Date().toISOString();
      source.write([key, ...source.read().map((old) => ({ ...old, retired: old.retired ?? now }))]);
      return key.id;
    },
    drop: (ids) => source.write(source.read().filter((key) => key.retired === null || !ids.includes(key.id))),
    retired: () => source.read().flatMap(({ id, retired }) => (retired === null ? [] : [{ id, since: retired }])),
  };
}
