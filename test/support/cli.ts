import { execFile } from 'node:child_process';
import { root } from '../../core/config/config.ts';

export interface CliResult {
  code: number;
  out: string;
  err: string;
}

/** The administrator's command as it is called, in a process of its own. */
export function runCli(args: string[], env: Record<string, string>): Promise<CliResult> {
  const { PATH, HOME } = process.env as Record<string, string>;
  return new Promise((resolve) => {
    const options = { cwd: root, env: { PATH, HOME, LOG_LEVEL: 'error', ...env } as NodeJS.ProcessEnv };
    execFile(process.execPath, ['core/main.js', ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
  });
}
