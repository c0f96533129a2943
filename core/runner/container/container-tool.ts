import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);
/** How long a machine that could start no containers is taken at its word. */
const believedMs = 60_000;

export interface ContainerTool {
  /** What starts containers here. @throws NoContainersError saying why nothing does */
  podman(): Promise<Podman>;
}

export interface Podman {
  command: string;
  /** of a user: what runs as that user outside has the same user id inside */
  rootless: boolean;
}

/** Its message ends a sentence: "…: podman is not installed". */
export class NoContainersError extends Error {
  override name = 'NoContainersError';
}

export function createContainerTool({ config }: { config: { containerCommand?: string } }): ContainerTool {
  let known: { podman: Promise<Podman>; until: number } | undefined;
  return {
    podman() {
      if (known && known.until > Date.now()) return known.podman;
      const podman = probe(config.containerCommand ?? '');
      const found = { podman, until: Infinity };
      known = found;
      podman.catch(() => (found.until = Date.now() + believedMs));
      return podman;
    },
  };
}

async function probe(configured: string): Promise<Podman> {
  if (!configured) throw new NoContainersError('CONTAINER_COMMAND is empty');
  const command = isAbsolute(configured) ? configured : findProgram(configured);
  if (!command) throw new NoContainersError(`${configured} is not installed`);
  const options = { env: clientEnvironment(), cwd: '/', timeout: 30_000 };
  const asked = ['info', '--format', '{{.Host.Security.Rootless}}'];
  const { stdout } = await run(command, asked, options).catch((error: Error & { stderr?: string }) => {
    throw new NoContainersError(
      `${command} does not work (${(error.stderr || error.message).trim().split('\n').at(-1)})`,
    );
  });
  return { command, rootless: stdout.trim() === 'true' };
}

const handedOn =
  /^(?:PATH|HOME|USER|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|XDG_DATA_HOME|CONTAINERS_[A-Z_]+|(?:https?|no)_proxy)$/i;

/** What podman needs of our environment to find its store, its configuration and the registries. None of it reaches a container. */
export const clientEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => handedOn.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Tries of a removal: one that meets the container's own end is refused by podman ("container state improper", its issue 16142). */
const removals = 4;

/**
 * Ends and removes what a run left of its container; its id is in the file. Nothing where there is none.
 * @throws what podman said last
 */
export async function removeContainer({ command }: Podman, idFile: string): Promise<void> {
  const options = { env: clientEnvironment(), cwd: '/', timeout: 60_000 };
  const remove = ['rm', '--force', '--ignore', '--time=0', '--cidfile', idFile];
  for (let tried = 1; ; tried++) {
    try {
      return void (await run(command, remove, options));
    } catch (error) {
      if (tried === removals) throw error;
      await delay(250 * 2 ** tried);
    }
  }
}
