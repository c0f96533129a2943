import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, constants, cpSync, lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramEnd, ProgramRequest, ProgramService } from '@tapline/plugin-sdk';
import type { EngineTool } from './engine-tool.ts';
import { confine, type Isolation } from './isolation.ts';
import { makeWorkspace, own, type Workspace } from './workspace.ts';

interface Deps {
  config: { dataDir: string };
  engineTool: Pick<EngineTool, 'isolation'>;
}

const defaultMaxBytes = 8 * 1_048_576;
const shownAt = '/scan';
const longestMs = 600_000;

/** Programs of plugins, each in the sandbox that playbooks have, with a workspace that goes at its end. */
export function createPrograms({ config, engineTool }: Deps): ProgramService {
  return {
    async run(request) {
      const isolation = await engineTool.isolation();
      const workspace = makeWorkspace(join(config.dataDir, 'programs', randomUUID()), isolation);
      try {
        const child = start(request, workspace, isolation, config.dataDir);
        return await ended(child, request);
      } finally {
        for (const folder of [workspace.job, workspace.extraTmp])
          if (folder) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function start(request: ProgramRequest, workspace: Workspace, isolation: Isolation, dataDir: string): ChildProcess {
  const { work, control, tmp } = workspace;
  const sandboxed = isolation.mode === 'bubblewrap';
  const folder = sandboxed ? shownAt : join(work, 'project');
  if (!sandboxed) copyFor(request.folder, folder, isolation);
  const expand = (text: string) => text.replaceAll('{folder}', () => folder);
  const cwd = request.inFolder ? folder : join(work, 'home');
  const { argv } = confine(isolation, {
    work,
    cwd,
    tmp,
    passwd: join(control, 'passwd'),
    group: join(control, 'group'),
    readOnly: [{ path: request.folder, inside: shownAt }, ...(request.shown ?? [])],
    writable: [],
    hidden: dataDir,
  });
  const [first, ...rest] = [
    ...(sandboxed && !request.network ? withoutNetwork(argv) : argv),
    ...request.argv.map(expand),
  ];
  return spawn(first!, rest, {
    // a group of its own, so that all of it can be ended
    detached: true,
    cwd: sandboxed ? '/' : cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      HOME: join(work, 'home'),
      TMPDIR: sandboxed ? '/tmp' : tmp,
      ...Object.fromEntries(Object.entries(request.env ?? {}).map(([name, value]) => [name, expand(value)])),
    },
  });
}

const withoutNetwork = ([program, ...rest]: string[]) => [program!, '--unshare-net', ...rest];

/** Where nothing can be shown at another place, the user of the program gets a copy. */
function copyFor(from: string, to: string, isolation: Isolation): void {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  for (const entry of [{ parentPath: to, name: '.' }, ...readdirSync(to, { recursive: true, withFileTypes: true })]) {
    const path = join(entry.parentPath, entry.name);
    if (lstatSync(path).isSymbolicLink()) continue;
    chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
    own(path, isolation);
  }
}

function ended(child: ChildProcess, request: ProgramRequest): Promise<ProgramEnd> {
  const { timeoutMs, maxBytes = defaultMaxBytes, signal } = request;
  const begin = performance.now();
  const kept: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const sizes = { stdout: 0, stderr: 0 };
  return new Promise((resolve) => {
    let how: ProgramEnd['ended'] | undefined;
    const stop = (why: ProgramEnd['ended']) => {
      how ??= why;
      endGroup(child);
    };
    const abort = () => stop('timeout');
    const timer = setTimeout(abort, Math.min(longestMs, timeoutMs));
    signal?.addEventListener('abort', abort);
    for (const name of ['stdout', 'stderr'] as const)
      child[name]!.on('data', (chunk: Buffer) => {
        const room = maxBytes - sizes[name];
        sizes[name] += chunk.length;
        if (room > 0) kept[name].push(chunk.subarray(0, room));
        if (sizes[name] > maxBytes) stop('too long');
      });
    const end = (code: number | null, error?: Error) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      // what it left behind in its group
      endGroup(child);
      resolve({
        ended: how ?? (error ? 'not started' : code === null ? 'killed' : 'exited'),
        code,
        stdout: Buffer.concat(kept.stdout),
        stderr: error ? Buffer.from(error.message) : Buffer.concat(kept.stderr),
        durationMs: Math.round(performance.now() - begin),
      });
    };
    child.on('error', (error) => end(null, error));
    // of the process, then of its output: a child that was left behind may hold that open
    child.on('exit', (code) => {
      const patience = setTimeout(() => end(code), 1000);
      child.once('close', () => {
        clearTimeout(patience);
        end(code);
      });
    });
  });
}

/** The sandbox's first process ends with its group, and with it whatever is in there. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nobody left
  }
}
