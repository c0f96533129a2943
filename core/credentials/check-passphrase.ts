/** Run as a process by private-key.ts: reads `{ key, passphrase }` as JSON from stdin, writes yes, no or unknown. */
import { createPrivateKey } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { opensOpensshKey, readOpensshKey } from './openssh-key.ts';

function fits(key: string, passphrase: string): boolean | null {
  if (key.startsWith('-----BEGIN OPENSSH')) {
    return opensOpensshKey(readOpensshKey(key), passphrase);
  }
  const how = attempt(key, passphrase);
  if (how !== 'unsupported') return how === 'opened';
  // One wrong passphrase in some hundred decrypts to what looks like an unknown kind of key. A cipher that this OpenSSL
  // lacks is unsupported under every passphrase, and says nothing about the one that was given.
  const others = Array.from({ length: 4 }, (_, n) => attempt(key, `${passphrase} ${n}`));
  return others.every((other) => other === 'unsupported') ? null : false;
}

function attempt(key: string, passphrase: string): 'opened' | 'refused' | 'unsupported' {
  try {
    createPrivateKey({ key, passphrase });
    return 'opened';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_OSSL_UNSUPPORTED' ? 'unsupported' : 'refused';
  }
}

const { key, passphrase } = JSON.parse(await text(process.stdin)) as { key: string; passphrase: string };
const answer = fits(key, passphrase);
process.stdout.write(answer === null ? 'unknown' : answer ? 'yes' : 'no');
