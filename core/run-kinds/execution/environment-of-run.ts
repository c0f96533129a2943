import { type ClaimedRun, type ContainerImage, type Prepared, SpecError } from '@tapline/plugin-sdk';
import { lookedUpSecrets, type LookupDeps } from '../../credentials/lookups.ts';
import { credentialsOfRun } from '../../credentials/of-run.ts';
import type { ResolvedCredential } from '../../credentials/resolve.ts';
import { type ContainerTool, NoContainersError } from '../../runner/container/container-tool.ts';
import type { Settings } from '../../settings/settings.ts';

interface Environment {
  id: number;
  name: string;
  image: string;
  pull: '' | ContainerImage['pull'];
  credential_id: number | null;
}

export interface EnvironmentDeps extends LookupDeps {
  settings: Settings;
  containerTool: ContainerTool;
}

/**
 * What is executed for a run, in its execution environment: its own, else the default of its project, of its organization, of
 * the service. Where no containers can be started, the run says that it went without; or it does not go.
 * @throws SpecError where the setting says so
 */
export async function inEnvironment(
  deps: EnvironmentDeps,
  run: ClaimedRun,
  prepare: () => Promise<Prepared>,
): Promise<Prepared> {
  const environment = (run['environment'] as Environment | null | undefined) ?? (await globalDefault(deps));
  if (!environment) return prepare();
  const lack = await lackOfContainers(deps);
  if (lack) return withoutIt(run, prepare, environment, refusedOr(deps, environment, lack));
  const [credential] =
    environment.credential_id === null ? [] : await credentialsOfRun(deps, [environment.credential_id]);
  const prepared = await prepare();
  const container: ContainerImage = {
    image: environment.image,
    pull: environment.pull || 'missing',
    ...(credential && { registry: registryOf(credential) }),
  };
  const password = container.registry?.password ? [container.registry.password] : [];
  return {
    ...prepared,
    spec: { ...prepared.spec, container },
    secrets: [...prepared.secrets, ...password],
    unstored: [...(prepared.unstored ?? []), ...password, ...lookedUpSecrets(credential ? [credential] : [])],
    columns: (workspace) => ({ ...prepared.columns(workspace), execution_environment_id: environment.id }),
  };
}

const lackOfContainers = ({ containerTool }: EnvironmentDeps): Promise<string> =>
  containerTool.podman().then(
    () => '',
    (error: unknown) => {
      if (error instanceof NoContainersError) return error.message;
      throw error;
    },
  );

function registryOf({ inputs }: ResolvedCredential): NonNullable<ContainerImage['registry']> {
  const text = (name: string) => String(inputs[name] ?? '');
  return {
    host: text('host'),
    username: text('username'),
    password: text('password'),
    verify: inputs['verify_ssl'] !== false,
  };
}

/** @throws SpecError where the run must not go */
function refusedOr({ settings }: EnvironmentDeps, { name, image }: Environment, lack: string): string {
  const named = `execution environment "${name}" (${image})`;
  if (settings.get('EXECUTION_ENVIRONMENT_MISSING') === 'fail')
    throw new SpecError(
      `The ${named} cannot be used: this service starts no containers (${lack}). Take it off, or set EXECUTION_ENVIRONMENT_MISSING to "run".`,
    );
  return `Ran with the engine of the node, not in the ${named}: this service starts no containers (${lack}).`;
}

async function withoutIt(
  run: ClaimedRun,
  prepare: () => Promise<Prepared>,
  { id }: Environment,
  explanation: string,
): Promise<Prepared> {
  const prepared = await prepare();
  const job_explanation = [run.job_explanation, explanation].filter(Boolean).join('\n');
  return {
    ...prepared,
    columns: (workspace) => ({ ...prepared.columns(workspace), execution_environment_id: id, job_explanation }),
  };
}

async function globalDefault({ db, settings }: EnvironmentDeps): Promise<Environment | undefined> {
  const id = settings.get('DEFAULT_EXECUTION_ENVIRONMENT');
  const fields = ['id', 'name', 'image', 'pull', 'credential_id'];
  return id === null
    ? undefined
    : db('execution_environments')
        .where({ id })
        .first(...fields);
}
