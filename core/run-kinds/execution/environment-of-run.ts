import { type ClaimedRun, type Prepared, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Settings } from '../../settings/settings.ts';

interface Environment {
  id: number;
  name: string;
  image: string;
}

interface Deps {
  db: Knex;
  settings: Settings;
}

/** What is executed for a run, and what its execution environment has to do with it. @throws SpecError as below */
export async function inEnvironment(deps: Deps, run: ClaimedRun, prepare: () => Promise<Prepared>): Promise<Prepared> {
  const environment = await environmentColumns(deps, run);
  const prepared = await prepare();
  return { ...prepared, columns: (workspace) => ({ ...prepared.columns(workspace), ...environment }) };
}

/**
 * The execution environment of a run: its own, else the default of its project, of its organization, of the service. No
 * engine of containers is there to use it, so the run says that it went without; or it does not go.
 * @returns columns of the run
 * @throws SpecError where the setting says so
 */
async function environmentColumns(
  { db, settings }: Deps,
  run: ClaimedRun,
): Promise<{ execution_environment_id?: number; job_explanation?: string }> {
  const environment = run['environment'] as Environment | null | undefined;
  const found = environment ?? (await globalDefault({ db, settings }));
  if (!found) return {};
  const named = `execution environment "${found.name}" (${found.image})`;
  if (settings.get('EXECUTION_ENVIRONMENT_MISSING') === 'fail')
    throw new SpecError(
      `The ${named} cannot be used: this service starts no containers. Take it off, or set EXECUTION_ENVIRONMENT_MISSING to "run".`,
    );
  const explanation = `Ran with the engine of the node, not in the ${named}: this service starts no containers.`;
  return {
    execution_environment_id: found.id,
    job_explanation: [run.job_explanation, explanation].filter(Boolean).join('\n'),
  };
}

async function globalDefault({ db, settings }: Deps): Promise<Environment | undefined> {
  const id = settings.get('DEFAULT_EXECUTION_ENVIRONMENT');
  return id === null ? undefined : db('execution_environments').where({ id }).first('id', 'name', 'image');
}
