import { type ClaimedRun, type Prepared, SpecError } from '@tapline/plugin-sdk';
import { AnswerTooLargeError } from '../../../db/answers.ts';
import { runPrepared } from '../../../db/prepared.ts';
import { injectCredentials } from '../../../credentials/injection/inject.ts';
import { lookedUpSecrets, type LookupDeps } from '../../../credentials/lookups.ts';
import { credentialsOfRun } from '../../../credentials/of-run.ts';
import type { Catalog } from '../../../descriptors/compile.ts';
import { hostsForRun } from '../../../inventory/host-ids.ts';
import { inventoryDocument } from '../../../inventory/document.ts';
import { mergeVariables, readVariables, storedVariables } from '../../../yaml/variables.ts';
import { installedRequirements } from '../../../scm/requirements.ts';
import { injectedVariables } from '../../execution/injected-variables.ts';
import { sourceOf } from '../../execution/project-source.ts';
import { engineSettings, showWorkspace } from '../../execution/engine-run.ts';
import { pinnedHosts } from '../launch/slices.ts';
import { buildJobSpec } from './job-spec.ts';
import type { EngineTool } from '../../../runner/engine-tool.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { Settings } from '../../../settings/settings.ts';

export interface PrepareDeps extends LookupDeps {
  config: { dataDir: string };
  settings: Settings;
  engineTool: EngineTool;
  sandbox: Pick<Sandbox, 'renderEach'>;
  readonly catalog?: Catalog;
}

/** @throws SpecError where the job as it stands cannot be executed */
export async function prepareJob(deps: PrepareDeps, run: ClaimedRun): Promise<Prepared> {
  const { db, settings, engineTool } = deps;
  const { inventory, project, passwords, template, user, schedule, workflow } = run;
  const credentials = await credentialsOfRun(deps, run.credential_ids);
  if (!inventory) throw new SpecError('The job has no inventory any more.');
  if (!project) throw new SpecError('The job has no project any more.');
  const hosts = await hostsForRun(deps, run);
  const [injection, document, facts, source, engine, extraVars, templateVars] = await Promise.all([
    injectCredentials(deps, credentials),
    inventoryDocument(db, inventory.id, {
      hostvars: true,
      ...hosts.contents,
      ...sliceOf(run),
      mostBytes: settings.get('INVENTORY_MAX_BYTES'),
    }),
    run['use_fact_cache'] ? loadFacts(deps, inventory.id, hosts.owners) : [],
    sourceOf(deps.config.dataDir, run),
    engineTool.engine(),
    readVariables(run['extra_vars'], { patient: true }),
    storedVariables(template?.['extra_vars'] ?? '', { patient: true }),
  ]);
  run['scm_revision'] = source.kind === 'git' ? source.revision : '';
  const spec = buildJobSpec({
    run: run as never,
    extraVars: mergeVariables(extraVars, run.secretVariables),
    templateVars,
    injected: injectedVariables({ run, template, project, inventory, user, schedule, workflow }),
    inventory: document,
    credentials,
    injection,
    passwords,
    facts,
    checkout: source,
    requirements: source.kind === 'git' ? await installedRequirements(source.repository, source.revision) : null,
    engine,
    settings: {
      ...engineSettings(settings),
      factTimeout: Number(settings.get('ENGINE_FACT_CACHE_TIMEOUT')),
    },
  });
  return {
    spec,
    secrets: spec.secrets,
    unstored: lookedUpSecrets(credentials),
    columns: (workspace) => ({
      ...showWorkspace(spec.shown, { workspace }),
      scm_revision: run['scm_revision'],
    }),
  };
}

const sliceOf = (run: ClaimedRun) =>
  Number(run['job_slice_count']) > 1
    ? {
        slice: {
          number: run['job_slice_number'] as number,
          count: run['job_slice_count'] as number,
          pinned: pinnedHosts(run['job_slice_pinned_hosts']),
        },
      }
    : {};

interface HostFacts {
  host: string;
  document: string;
}

const factsOf = (name: string, hosts: string) => ({
  name,
  text: `select h.name as host, f.document::text as document
    from host_facts hf join hosts h on h.id = hf.host_id join facts f on f.hash = hf.hash
    where ${hosts} and h.enabled and ($2::float8 = 0 or hf.modified > now() - $2::float8 * interval '1 second')`,
});
const storedFacts = factsOf('stored facts', 'h.inventory_id = $1');
const foreignFacts = factsOf('stored facts, hosts of others', 'h.id = any ($1::bigint[])');

async function loadFacts(
  { db, settings }: PrepareDeps,
  inventory: number,
  hosts: readonly number[] | undefined,
): Promise<HostFacts[]> {
  const statement = { ...(hosts ? foreignFacts : storedFacts), mostAnswered: settings.get('FACTS_MAX_BYTES') };
  const age = settings.get('ENGINE_FACT_CACHE_TIMEOUT');
  return runPrepared<HostFacts>(db, statement, [hosts ?? inventory, age]).catch((error: unknown) => {
    if (!(error instanceof AnswerTooLargeError)) throw error;
    throw new SpecError(
      `The stored facts of the inventory's hosts are larger than the ${error.most} bytes of FACTS_MAX_BYTES: gather fewer, or run without the fact cache.`,
    );
  });
}
