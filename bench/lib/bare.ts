import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localhostVars } from './content.ts';
import { root } from './service.ts';

/** The engine's command, as set-up installed it or as ENGINE_COMMAND names it. */
export function engineCommand(): string {
  const installed = join(root, '.tools/engine/bin/ansible-playbook');
  return process.env.ENGINE_COMMAND ?? (existsSync(installed) ? installed : '/usr/bin/ansible-playbook');
}

/** The Python that set-up gave the engine. */
export const enginePython = join(root, '.tools/engine/bin/python');

export const bareEnvironment = {
  PATH: `${join(engineCommand(), '..')}:/usr/local/bin:/usr/bin:/bin`,
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  ANSIBLE_FORCE_COLOR: '1',
  ANSIBLE_HOST_KEY_CHECKING: 'False',
  ANSIBLE_RETRY_FILES_ENABLED: 'False',
};

/** A folder with the playbooks and an inventory for runs of the bare engine. */
export function bareFolder(playbooks: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-bare-'));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(playbooks)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'inventory.json'), JSON.stringify({ all: { hosts: { localhost: localhostVars } } }));
  return folder;
}

/** Milliseconds that a command takes; throws when it fails. */
export async function timed(command: string, args: string[], options: SpawnOptions): Promise<number> {
  const began = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', env: bareEnvironment, ...options });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return performance.now() - began;
}

export const barePlaybook = (folder: string, playbook: string) =>
  timed(engineCommand(), ['-i', 'inventory.json', playbook], { cwd: folder });
