import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../core/runner/engine-tool.ts';
import { playbooks } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

export interface Bare {
  rc: number;
  output: string;
  /** where it ran: `project` and `home` lie in it */
  folder: string;
}

/** What somebody types who has nothing of ours; `{folder}` stands for the folder that all of it lies in. */
export interface Command {
  args: readonly string[];
  /** by path, besides the playbooks in `project` */
  files: Record<string, string>;
  env: Record<string, string>;
}

/** Into one file, each text as soon as it is said: the order that a person at a terminal sees. */
const script = 'out=$1; shift; exec "$@" > "$out" 2>&1 < /dev/null';

/** ansible-playbook without service, sandbox, wrapper or callback plugin; what it leaves running ends with it. */
export async function runBare(engine: Engine, { args, files, env }: Command): Promise<Bare> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-bare-'));
  try {
    cpSync(playbooks, join(folder, 'project'), { recursive: true });
    mkdirSync(join(folder, 'home'));
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text, { mode: 0o600 });
    const place = (text: string) => text.replaceAll('{folder}', folder);
    const shut = ['--pid', '--fork', '--kill-child', '--mount-proc'];
    const command = ['/bin/sh', '-c', script, 'sh', join(folder, 'output'), engine.command, ...args.map(place)];
    const rc = await new Promise<number>((resolve) => {
      execFile(
        'unshare',
        [...shut, ...command],
        {
          cwd: join(folder, 'project'),
          env: {
            ...engine.env,
            PATH: `${engine.bin}:/usr/local/bin:/usr/bin:/bin`,
            HOME: join(folder, 'home'),
            LC_ALL: 'C.UTF-8',
            PYTHONUNBUFFERED: '1',
            ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, place(value)])),
          },
          timeout: 60_000,
          killSignal: 'SIGKILL',
        },
        (error) => resolve(error ? Number(error.code ?? -1) : 0),
      );
    });
    return { rc, output: readFileSync(join(folder, 'output'), 'utf8'), folder };
  } finally {
    removeFolder(folder);
  }
}
