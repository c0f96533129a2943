import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ResolvedCredential } from '../credentials/resolve.ts';
import { inventoryDocument } from '../inventory/document.ts';
import { parseVariables, templateVariables } from '../launch/variables.ts';
import { cachePath, resolveRevision } from '../scm/cache.ts';
import { requirementsPath } from '../scm/requirements.ts';
import type { ClaimedRun } from './claim.ts';
import type { CheckoutSource } from './executor.ts';
import { injectedVariables } from './injected-variables.ts';
import { buildJobSpec, showWorkspace } from './job-spec.ts';
import type { Prepared, PrepareDeps } from './prepare.ts';
import { SpecError } from './spec-error.ts';

export async function prepareJob(
  deps: PrepareDeps,
  run: ClaimedRun,
  credentials: readonly ResolvedCredential[],
  passwords: Record<string, string>,
): Promise<Omit<Prepared, 'launchSecrets'>> {
  const { db, settings, engineTool } = deps;
  const { inventory, project } = run;
  if (!inventory) throw new SpecError('The job has no inventory any more.');
  if (!project) throw new SpecError('The job has no project any more.');
  const [document, facts, source, engine, templateVars] = await Promise.all([
    inventoryDocument(db, inventory.id, { hostvars: true, ...sliceOf(run) }),
    run['use_fact_cache'] ? loadFacts(deps, inventory.id) : [],
    sourceOf(deps.config.dataDir, run),
    engineTool.engine(),
    templateVariables(run.template ?? {}),
  ]);
  run['scm_revision'] = source.kind === 'git' ? source.revision : '';
  const spec = buildJobSpec({
    run: run as never,
    extraVars: parseVariables(run['extra_vars']),
    templateVars,
    injected: injectedVariables({ run, template: run.template, project, inventory, user: run.user }),
    inventory: document,
    credentials,
    passwords,
    facts,
    checkout: source,
    requirements: source.kind === 'git' ? installed(source) : null,
    engine,
    settings: {
      allowJinja: settings.get('ALLOW_JINJA_IN_EXTRA_VARS') as never,
      defaultTimeout: Number(settings.get('DEFAULT_JOB_TIMEOUT')),
      spoolLimitBytes: Number(settings.get('SPOOL_LIMIT_BYTES')),
      maxEventResult: Number(settings.get('MAX_EVENT_RES_DATA')),
      factTimeout: Number(settings.get('ENGINE_FACT_CACHE_TIMEOUT')),
      showPaths: settings.get('AWX_ISOLATION_SHOW_PATHS'),
    },
  });
  return {
    spec,
    secrets: spec.secrets,
    columns: (workspace) => ({ ...showWorkspace(spec.shown, { workspace }), scm_revision: run['scm_revision'] }),
  };
}

function installed({ repository, revision }: Extract<CheckoutSource, { kind: 'git' }>): string | null {
  const folder = requirementsPath(repository, revision);
  return existsSync(folder) ? folder : null;
}

const sliceOf = (run: ClaimedRun) =>
  run['job_slice_count'] > 1
    ? { slice: { number: run['job_slice_number'] as number, count: run['job_slice_count'] as number } }
    : {};

/** The very commit that this job runs; another branch is resolved in what the last update fetched. */
async function sourceOf(dataDir: string, run: ClaimedRun): Promise<CheckoutSource> {
  const project = run.project!;
  if (!project['scm_type']) {
    if (!project['local_path']) throw new SpecError(`Project "${project['name']}" names no folder.`);
    return { kind: 'folder', path: join(dataDir, 'projects', project['local_path']) };
  }
  const repository = cachePath(dataDir, project['id']);
  const submodules = Boolean(project['scm_track_submodules']);
  if (run['scm_branch']) {
    const revision = await resolveRevision(repository, run['scm_branch']);
    if (!revision)
      throw new SpecError(
        `Project "${project['name']}" has no branch, tag or commit "${run['scm_branch']}" as of its last update.`,
      );
    return { kind: 'git', repository, revision, submodules };
  }
  const revision = String(run['scm_revision'] || project['scm_revision']);
  if (!revision)
    throw new SpecError(
      `Project "${project['name']}" has never been updated successfully, so there is nothing to run.`,
    );
  // whether this node has it shows when it is checked out
  return { kind: 'git', repository, revision, submodules };
}

async function loadFacts(
  { db, settings }: PrepareDeps,
  inventory: number,
): Promise<{ host: string; document: string }[]> {
  const age = Number(settings.get('ENGINE_FACT_CACHE_TIMEOUT'));
  const rows = await db('host_facts as hf')
    .join('hosts as h', 'h.id', 'hf.host_id')
    .join('facts as f', 'f.hash', 'hf.hash')
    .where({ 'h.inventory_id': inventory, 'h.enabled': true })
    .modify((query) => void (age > 0 && query.whereRaw("hf.modified > now() - ? * interval '1 second'", [age])))
    .select('h.name as host', db.raw('f.document::text as document'));
  return rows;
}
