import type { EngineTool } from '../../runner/engine-tool.ts';
import type { ContainerTool } from '../../runner/container/container-tool.ts';
import type { Config } from '../../config/config.ts';
import { groupProblem } from '../../runner/limits/cgroup.ts';
import { shownBy } from '../../runner/isolation.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Is there an engine, and how are playbooks kept apart from the service? */
export async function checkEngine(
  engineTool: EngineTool,
  containerTool: ContainerTool,
  { dataDir, engineCgroups }: Pick<Config, 'dataDir' | 'engineCgroups'>,
): Promise<Finding[]> {
  const [engine, isolation, containers] = await Promise.all([
    describeEngine(engineTool),
    describeIsolation(engineTool),
    describeContainers(containerTool),
  ]);
  return [engine, isolation, containers, ...describeGroups(engineCgroups), ...describeShown(dataDir)];
}

function describeGroups(parents: readonly string[]): Finding[] {
  return parents.map((parent) => {
    const problem = groupProblem(parent);
    return problem
      ? fail(
          `control groups of runs (ENGINE_CGROUP): ${parent}: ${problem}; no job can start`,
          'Name a control group that is delegated to the service (README, Limits), or unset ENGINE_CGROUP.',
        )
      : ok(`runs have control groups below ${parent}`);
  });
}

/** What playbooks see of the system lies around it: only the sandbox hides it, and not for other users of the machine. */
function describeShown(dataDir: string): Finding[] {
  const folder = shownBy(dataDir);
  if (folder === undefined) return [];
  return [
    fail(
      `data folder: ${dataDir} lies below ${folder}, which playbooks see`,
      'Stop the service, move the folder elsewhere (such as /var/lib/tapline) and name it in TAPLINE_DATA.',
    ),
  ];
}

async function describeEngine(engineTool: EngineTool): Promise<Finding> {
  try {
    const { command, version, python } = await engineTool.engine();
    return ok(`engine: ansible-core ${version}, ${command} on ${python}`);
  } catch (error) {
    return fail(
      `engine: ${(error as Error).message}`,
      'Run `npm run setup`, or set ENGINE_COMMAND to an ansible-playbook.',
    );
  }
}

/** Not every installation wants them. */
const describeContainers = (containerTool: ContainerTool): Promise<Finding> =>
  containerTool.podman().then(
    ({ command, rootless }) => ok(`execution environments: containers by ${command}${rootless ? ', rootless' : ''}`),
    (error: Error) => ok(`execution environments: no containers are started (${error.message})`),
  );

async function describeIsolation(engineTool: EngineTool): Promise<Finding> {
  const isolation = await engineTool.isolation().catch((error: Error) => error);
  if (isolation instanceof Error) return fail(isolation.message, 'Correct ENGINE_UIDS, or remove that user.');
  const { mode, reason } = isolation;
  if (mode === 'bubblewrap') return ok('playbooks are shut in with bubblewrap');
  return warn(
    `playbooks run without a sandbox: ${reason}`,
    'Install bubblewrap (Debian: apt-get install bubblewrap); in a container allow user namespaces. Until then launch only playbooks that you trust with this machine.',
  );
}
