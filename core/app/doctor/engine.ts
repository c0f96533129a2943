import type { EngineTool } from '../../runner/engine-tool.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** Is there an engine, and how are playbooks kept apart from the service? */
export async function checkEngine(engineTool: EngineTool): Promise<Finding[]> {
  const [engine, isolation] = await Promise.all([describeEngine(engineTool), describeIsolation(engineTool)]);
  return [engine, isolation];
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

async function describeIsolation(engineTool: EngineTool): Promise<Finding> {
  const { mode, reason } = await engineTool.isolation();
  if (mode === 'bubblewrap') return ok('playbooks are shut in with bubblewrap');
  return warn(
    `playbooks run without a sandbox: ${reason}`,
    'Install bubblewrap (Debian: apt-get install bubblewrap); in a container allow user namespaces. Until then launch only playbooks that you trust with this machine.',
  );
}
