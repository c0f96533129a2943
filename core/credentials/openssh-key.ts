import { createRequire } from 'node:module';
import { createDecipheriv } from 'node:crypto';

/** The container of `ssh-keygen`'s own format (PROTOCOL.key of OpenSSH). */
export interface OpensshKey {
  cipher: string;
  kdf: string;
  salt: Buffer;
  rounds: number;
  body: Buffer;
}

const magic = Buffer.from('openssh-key-v1\0');

/** @throws when the PEM text does not hold such a container */
export function readOpensshKey(pem: string): OpensshKey {
  const data = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64');
  if (!data.subarray(0, magic.length).equals(magic)) throw new Error('no OpenSSH key');
  let at = magic.length;
  const number = () => ((at += 4), data.readUInt32BE(at - 4));
  const bytes = () => {
    const length = number();
    if (at + length > data.length) throw new Error('no OpenSSH key');
    return data.subarray(at, (at += length));
  };
  const cipher = bytes().toString('latin1');
  const kdf = bytes().toString('latin1');
  const options = bytes();
  if (number() !== 1) throw new Error('no OpenSSH key');
  bytes(); // the public key
  const body = bytes();
  const saltLength = kdf === 'bcrypt' ? options.readUInt32BE(0) : 0;
  return {
    cipher,
    kdf,
    salt: options.subarray(4, 4 + saltLength),
    rounds: kdf === 'bcrypt' ? options.readUInt32BE(4 + saltLength) : 0,
    body,
  };
}

/** The private part starts with the same random number twice: how a right passphrase shows. */
export const hasMatchingChecks = (plain: Buffer) =>
  plain.length >= 8 && plain.subarray(0, 4).equals(plain.subarray(4, 8));

const ciphers: Record<string, { node: string; key: number; iv: number }> = {
  'aes128-ctr': { node: 'aes-128-ctr', key: 16, iv: 16 },
  'aes192-ctr': { node: 'aes-192-ctr', key: 24, iv: 16 },
  'aes256-ctr': { node: 'aes-256-ctr', key: 32, iv: 16 },
  'aes128-cbc': { node: 'aes-128-cbc', key: 16, iv: 16 },
  'aes192-cbc': { node: 'aes-192-cbc', key: 24, iv: 16 },
  'aes256-cbc': { node: 'aes-256-cbc', key: 32, iv: 16 },
  'aes128-gcm@openssh.com': { node: 'aes-128-gcm', key: 16, iv: 12 },
  'aes256-gcm@openssh.com': { node: 'aes-256-gcm', key: 32, iv: 12 },
};

type Pbkdf = (
  pass: Buffer,
  passLength: number,
  salt: Buffer,
  saltLength: number,
  key: Buffer,
  keyLength: number,
  rounds: number,
) => number;

/** Whether the passphrase opens the key; null when this cipher cannot be tried here. Slow on purpose, and blocking. */
export function opensOpensshKey(key: OpensshKey, passphrase: string): boolean | null {
  const cipher = ciphers[key.cipher];
  if (!cipher || key.kdf !== 'bcrypt') return null;
  const { pbkdf } = createRequire(import.meta.url)('bcrypt-pbkdf') as { pbkdf: Pbkdf };
  const pass = Buffer.from(passphrase);
  const derived = Buffer.alloc(cipher.key + cipher.iv);
  if (pbkdf(pass, pass.length, key.salt, key.salt.length, derived, derived.length, key.rounds) !== 0) return false;
  // the checks alone tell, so the tag of the GCM ciphers is not needed
  const decipher = createDecipheriv(cipher.node, derived.subarray(0, cipher.key), derived.subarray(cipher.key));
  if (cipher.node.endsWith('cbc')) decipher.setAutoPadding(false);
  return hasMatchingChecks(decipher.update(key.body));
}
