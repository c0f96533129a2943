import { spawn } from 'node:child_process';
import { GitError, gitArguments, gitEnvironment } from './git.ts';

/** The longest entry that git writes: a path has 4096 bytes. */
const longest = 65_536;

/** Runs git and hands over each entry of its output (with -z); what `take` throws ends it. */
export async function gitLines(
  args: readonly string[],
  { cwd, timeoutMs = 120_000 }: { cwd: string; timeoutMs?: number },
  take: (entry: string) => void,
): Promise<void> {
  const child = spawn('git', [...gitArguments, ...args], {
    cwd,
    env: gitEnvironment,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(new GitError(`git could not be started: ${error.message}`, null)));
    child.on('close', resolve);
  });
  ended.catch(() => undefined);
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint = (complaint + chunk).slice(-2000)));
  let rest = '';
  try {
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      const entries = (rest + chunk).split('\0');
      rest = entries.pop()!.slice(0, longest);
      for (const entry of entries) take(entry);
    }
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  const code = await ended;
  if (code !== 0) throw new GitError(complaint.trim() || `git ${args[0]} ended with ${code ?? 'a signal'}`, code);
}
