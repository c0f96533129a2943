import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { withHashGate } from './hash-gate.ts';

const argon2Async = promisify(argon2) as (algorithm: 'argon2id', parameters: Argon2Parameters) => Promise<Buffer>;
const derive = (algorithm: 'argon2id', parameters: Argon2Parameters) =>
  withHashGate(() => argon2Async(algorithm, parameters));

/** OWASP's floor for argon2id: 19 MiB and two passes, about 40 ms. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');

/** Argon2id in the PHC text form, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Only tests make it cheaper. */
export async function hashPassword(password: string, { memory, passes, parallelism } = cost): Promise<string> {
  const nonce = randomBytes(16);
  const message = Buffer.from(password);
  const hash = await derive('argon2id', { message, nonce, tagLength: 32, memory, passes, parallelism });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(hash)}`;
}

let decoy: Promise<string> | undefined;

/**
 * Whether the password fits the stored hash. Without a usable hash (unknown user, account without
 * password) it works just as long on a decoy, so that the time does not tell which names exist.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const parts = phc.exec(stored ?? '');
  if (!parts) {
    decoy ??= hashPassword(randomBytes(16).toString('hex'));
    await verifyPassword(await decoy, password);
    return false;
  }
  const [, memory, passes, parallelism, salt, expected] = parts as unknown as string[];
  const wanted = Buffer.from(expected!, 'base64');
  const found = await derive('argon2id', {
    message: Buffer.from(password),
    nonce: Buffer.from(salt!, 'base64'),
    tagLength: wanted.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(found, wanted);
}
