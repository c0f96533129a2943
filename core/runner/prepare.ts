import type { Knex } from 'knex';
import { loadCredentials, type ResolvedCredential } from '../credentials/resolve.ts';
import { runSecretCell } from '../secrets/rotate.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { Settings } from '../settings/settings.ts';
import { cachePath } from '../scm/cache.ts';
import { galaxyServers } from '../scm/galaxy-servers.ts';
import { knownRequirements } from '../scm/requirements.ts';
import { buildUpdateSpec } from '../scm/update-spec.ts';
import { openUrl } from '../scm/url-secret.ts';
import type { ClaimedRun } from './claim.ts';
import type { EngineTool } from './engine-tool.ts';
import type { ExecSpec } from './executor.ts';
import { prepareJob } from './prepare-job.ts';
import { SpecError } from './spec-error.ts';

export interface PrepareDeps {
  config: { dataDir: string };
  db: Knex;
  keyRing: KeyRing;
  settings: Settings;
  engineTool: EngineTool;
}

export interface Prepared {
  spec: ExecSpec;
  /** columns of the run that are known now */
  columns: (workspace: string) => Record<string, unknown>;
  secrets: string[];
  /** those of `secrets` that only this launch knows */
  launchSecrets: string[];
}

/** @throws SpecError where the run as it stands cannot be executed */
export async function prepareRun(deps: PrepareDeps, run: ClaimedRun): Promise<Prepared> {
  const passwords = Object.fromEntries(
    run.launch_secrets.map(({ name, value }) => [name, deps.keyRing.decrypt(value, runSecretCell(run.id, name))]),
  );
  const credentials = await loadCredentials(deps.db, deps.keyRing, credentialIds(run));
  assertComplete(credentials);
  const prepared =
    run['kind'] === 'project_update'
      ? await prepareUpdate(deps, run, credentials)
      : await prepareJob(deps, run, credentials, passwords);
  return { ...prepared, launchSecrets: Object.values(passwords) };
}

const credentialIds = (run: ClaimedRun): number[] =>
  run['kind'] === 'project_update' ? [run['credential_id']].filter((id) => id !== null) : run.credential_ids;

/** What the credentials of a run hold, to be masked in output that a former process did not read any more. */
export async function secretsOf(
  { db, keyRing }: Pick<PrepareDeps, 'db' | 'keyRing'>,
  run: ClaimedRun,
): Promise<string[]> {
  const credentials = await loadCredentials(db, keyRing, credentialIds(run));
  const servers =
    run['kind'] === 'project_update' ? await galaxyServers({ db, keyRing }, run['organization_id']) : null;
  const own = credentials.flatMap(({ type, inputs }) =>
    (type.inputs.fields ?? [])
      .filter((field) => field.secret)
      .map((field) => inputs[field.id])
      .filter((value) => typeof value === 'string' && value !== '' && value !== 'ASK'),
  ) as string[];
  return [...own, ...(servers?.secrets ?? [])];
}

/** contract/jobs.md §7: missing mandatory inputs end the run as failed, naming credential and fields. */
function assertComplete(credentials: readonly ResolvedCredential[]): void {
  const lacking = credentials.filter(({ missing }) => missing.length);
  if (!lacking.length) return;
  throw new SpecError(
    lacking.map(({ name, missing }) => `Credential "${name}" lacks ${missing.join(', ')}.`).join(' '),
  );
}

async function prepareUpdate(
  { config, db, settings, keyRing, engineTool }: PrepareDeps,
  run: ClaimedRun,
  credentials: readonly ResolvedCredential[],
): Promise<Omit<Prepared, 'launchSecrets'>> {
  const cache = cachePath(config.dataDir, run['template_id']);
  const servers = await galaxyServers({ db, keyRing }, run['organization_id']);
  const timeout = Number(run['timeout']);
  const { spec, secrets } = buildUpdateSpec({
    run: { ...run, scm_url: openUrl(keyRing, String(run['scm_url'])) },
    credential: credentials[0] ?? null,
    cache,
    requirements: {
      roles: Boolean(settings.get('AWX_ROLES_ENABLED')),
      collections: Boolean(settings.get('AWX_COLLECTIONS_ENABLED')),
      ignoreCertificates: Boolean(settings.get('GALAXY_IGNORE_CERTS')),
      env: { ...(settings.get('GALAXY_TASK_ENV') as Record<string, string>), ...servers.env },
      // what somebody asks for is done anew: versions may have been left open
      known: run['launch_type'] === 'manual' ? [] : await knownRequirements(cache),
      bin: (await engineTool.engine()).bin,
    },
    allowedFolders: settings.get('PROJECT_FILE_URLS') as readonly string[],
    timeout: timeout < 0 ? 0 : timeout || Number(settings.get('DEFAULT_PROJECT_UPDATE_TIMEOUT')),
    spoolLimit: Number(settings.get('SPOOL_LIMIT_BYTES')),
  });
  const shown = { job_args: JSON.stringify(['git', 'fetch', spec.env['SCM_SHOWN_URL']]) };
  const hidden = [...secrets, ...servers.secrets];
  return { spec, secrets: hidden, columns: (workspace) => ({ ...shown, job_cwd: `${workspace}/work` }) };
}
