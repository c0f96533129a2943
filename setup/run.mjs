import { spawn } from 'node:child_process';

let quiet = false;
export const beQuiet = () => void (quiet = true);
export const say = (text) => void (quiet || process.stdout.write(`setup: ${text}\n`));
/** What costs time or changes the machine is said even when quiet. */
export const announce = (text) => void process.stderr.write(`setup: ${text}\n`);

export class SetupError extends Error {}

/** Runs a program to its end; shows that it is still at work, and its output only when it fails. */
export function run(program, args, { env = process.env, cwd, label, timeoutMs = 900_000 } = {}) {
  return new Promise((resolve) => {
    const begin = Date.now();
    const seconds = () => Math.round((Date.now() - begin) / 1000);
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const progress = label ? setInterval(() => announce(`${label}: ${seconds()} s so far`), 10_000) : undefined;
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const end = (ok, extra = '') => {
      clearInterval(progress);
      clearTimeout(timer);
      resolve({ ok, output: Buffer.concat(chunks).toString('utf8').trim() + extra, seconds: seconds() });
    };
    child.on('error', (error) => end(false, error.message));
    child.on('close', (code) => end(code === 0));
  });
}

/** The last lines of a tool's output: enough to see why it failed. */
export const tail = (text, lines = 12) => text.split('\n').slice(-lines).join('\n');
