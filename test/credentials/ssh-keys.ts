import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A key as ssh-keygen writes it. */
export function opensshKey(passphrase = '', ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-key-'));
  try {
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      passphrase,
      '-C',
      'test',
      '-f',
      join(folder, 'key'),
      ...options,
    ]);
    return readFileSync(join(folder, 'key'), 'utf8');
  } finally {
    removeFolder(folder);
  }
}

/** A key as openssl writes it. */
export function pemKey(passphrase?: string, type: 'pkcs1' | 'pkcs8' = 'pkcs8'): string {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type, format: 'pem', ...(passphrase ? { cipher: 'aes-128-cbc', passphrase } : {}) } as {
      type: 'pkcs8';
      format: 'pem';
    },
  });
  return privateKey;
}
