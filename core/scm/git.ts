import { spawn } from 'node:child_process';

const MAX_OUTPUT = 64 * 1024 * 1024;

/** No configuration but ours: no hooks, no filters, no credential helpers of the machine. */
export const gitEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'none',
};

export const gitArguments = ['-c', 'safe.directory=*', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0'];

export class GitError extends Error {
  override name = 'GitError';
  readonly code: number | null;
  constructor(message: string, code: number | null) {
    super(message);
    this.code = code;
  }
}

/** Runs git on the service's own repositories; `stdin` is a text or an open file. */
export function git(
  args: readonly string[],
  { cwd, stdin, timeoutMs = 120_000 }: { cwd: string; stdin?: string | number; timeoutMs?: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...gitArguments, ...args], {
      cwd,
      env: gitEnvironment,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: [typeof stdin === 'number' ? stdin : 'pipe', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    let size = 0;
    let complaint = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_OUTPUT) child.kill('SIGKILL');
      else output.push(chunk);
    });
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-2000);
    });
    child.on('error', (error) => reject(new GitError(`git could not be started: ${error.message}`, null)));
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
      reject(
        new GitError(
          complaint.trim() || `git ${args[0]} ended with ${code === null ? 'a signal' : `code ${code}`}`,
          code,
        ),
      );
    });
    // a git that ended early closes its input: the exit code says why
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(typeof stdin === 'string' ? stdin : undefined);
  });
}
