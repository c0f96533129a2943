import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { hasMatchingChecks, readOpensshKey } from './openssh-key.ts';

const begin = /^-----BEGIN ([A-Z0-9 ]+)-----$/;
const pemHeader = /^[A-Za-z][A-Za-z0-9-]*: /;

interface Block {
  label: string;
  text: string;
  encrypted: boolean;
}

/** The PEM blocks of a text; null when something else stands between them. */
function blocksOf(text: string): Block[] | null {
  const blocks: Block[] = [];
  let open: { label: string; lines: string[] } | null = null;
  for (const line of text.split('\n').map((part) => part.trimEnd())) {
    if (!open) {
      const label = begin.exec(line)?.[1];
      if (label) open = { label, lines: [line] };
      else if (line) return null;
      continue;
    }
    open.lines.push(line);
    if (line !== `-----END ${open.label}-----`) continue;
    const encrypted =
      open.label === 'ENCRYPTED PRIVATE KEY' ||
      open.lines.some((part) => pemHeader.test(part) && part.includes('ENCRYPTED'));
    blocks.push({ label: open.label, text: `${open.lines.join('\n')}\n`, encrypted });
    open = null;
  }
  return open ? null : blocks;
}

export interface PrivateKey {
  encrypted: boolean;
  /** the block that holds the key */
  text: string;
}

/** @throws with a message for the user, which never quotes the key */
export function readPrivateKey(text: string): PrivateKey {
  const keys = blocksOf(text)?.filter(({ label }) => label.endsWith('PRIVATE KEY')) ?? [];
  const [block] = keys;
  if (!block || keys.length > 1)
    throw new Error(
      'is not a private key: one block from "-----BEGIN … PRIVATE KEY-----" to "-----END … PRIVATE KEY-----" is expected',
    );
  try {
    if (block.label === 'OPENSSH PRIVATE KEY') {
      const key = readOpensshKey(block.text);
      const encrypted = key.cipher !== 'none';
      if (!encrypted && !hasMatchingChecks(key.body)) throw new Error('damaged');
      return { encrypted, text: block.text };
    }
    if (!block.encrypted) createPrivateKey(block.text);
    return { encrypted: block.encrypted, text: block.text };
  } catch {
    throw new Error('is not a private key that can be read: it is damaged or of an unknown kind');
  }
}

const checkTimeoutMs = 10_000;

/**
 * Whether the passphrase opens the key; null when that cannot be found out here.
 * In a process of its own: the derivation is slow, and how slow is for whoever made the key to say.
 */
export function passphraseFits(key: PrivateKey, passphrase: string): Promise<boolean | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'check-passphrase.ts')], {
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: checkTimeoutMs,
      killSignal: 'SIGKILL',
    });
    let answer = '';
    child.stdout.on('data', (chunk) => (answer += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(answer === 'yes' ? true : answer === 'no' ? false : null));
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify({ key: key.text, passphrase }));
  });
}
