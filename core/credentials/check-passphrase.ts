/** Run as a process by private-key.ts: reads `{ key, passphrase }` as JSON from stdin, writes yes, no or unknown. */
import { createPrivateKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { opensOpensshKey, readOpensshKey } from './openssh-key.ts';

function fits(key: string, passphrase: string): boolean | null {
  if (key.startsWith('-----BEGIN OPENSSH')) {
    return opensOpensshKey(readOpensshKey(key), passphrase);
  }
  try {
    createPrivateKey({ key, passphrase });
    return true;
  } catch (error) {
    // a cipher that this OpenSSL lacks says nothing about the passphrase
    return (error as NodeJS.ErrnoException).code === 'ERR_OSSL_UNSUPPORTED' ? null : false;
  }
}

const { key, passphrase } = JSON.parse(await text(process.stdin)) as { key: string; passphrase: string };
const answer = fits(key, passphrase);
process.stdout.write(answer === null ? 'unknown' : answer ? 'yes' : 'no');
