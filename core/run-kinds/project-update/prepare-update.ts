import type { ClaimedRun, Prepared, RunInContext } from '@tapline/plugin-sdk';
import { lookedUpSecrets, type LookupDeps } from '../../credentials/lookups.ts';
import { credentialsOfRun, secretTexts } from '../../credentials/of-run.ts';
import type { EngineTool } from '../../runner/engine-tool.ts';
import { runLimits } from '../../runner/limits/run-limits.ts';
import { cachePath } from '../../scm/cache.ts';
import { knownHosts } from '../../scm/known-hosts.ts';
import { secretsOf } from '../../credentials/secrets-of.ts';
import { galaxyServers, storedServers } from '../../scm/galaxy-servers.ts';
import { knownRequirements } from '../../scm/requirements.ts';
import { openUrl } from '../../secrets/url-secret.ts';
import type { Settings } from '../../settings/settings.ts';
import { buildUpdateSpec, type UpdatedRun } from './update-spec.ts';
import { keyOf, type VerifiedBy } from './verified-by.ts';

export interface PrepareDeps extends LookupDeps {
  config: { dataDir: string };
  settings: Settings;
  engineTool: EngineTool;
}

const credentialOf = (run: RunInContext): number[] =>
  run['credential_id'] === null ? [] : [run['credential_id'] as number];

/** As somebody would type it. */
const commands: Record<string, string[]> = { git: ['git', 'fetch'], archive: ['curl', '-O'], svn: ['svn', 'export'] };

/** @throws SpecError where the update as it stands cannot be executed */
export async function prepareUpdate(deps: PrepareDeps, run: ClaimedRun): Promise<Prepared> {
  const { config, settings, keyRing, engineTool } = deps;
  const cache = cachePath(config.dataDir, run.template_id!);
  const [credential = null] = await credentialsOfRun(deps, credentialOf(run));
  const servers = await galaxyServers(deps, run.organization_id);
  const timeout = Number(run.timeout);
  const engine = await engineTool.engine();
  const key = run.project?.signature_validation_credential_id ?? null;
  const [verifying] = await credentialsOfRun(deps, key === null ? [] : [key]);
  const verifiedBy: VerifiedBy = { credential: key, key: verifying ? keyOf(verifying) : null };
  const { spec, secrets } = buildUpdateSpec({
    run: { ...(run as ClaimedRun & UpdatedRun), scm_url: openUrl(keyRing, String(run['scm_url'])) },
    credential,
    cache,
    knownHosts: await knownHosts(cache),
    requirements: {
      roles: Boolean(settings.get('AWX_ROLES_ENABLED')),
      collections: Boolean(settings.get('AWX_COLLECTIONS_ENABLED')),
      ignoreCertificates: Boolean(settings.get('GALAXY_IGNORE_CERTS')),
      verbose: settings.get('PROJECT_UPDATE_VVV'),
      env: { ...(settings.get('GALAXY_TASK_ENV') as Record<string, string>), ...servers.env },
      // what somebody asks for is done anew: versions may have been left open
      known: run.launch_type === 'manual' ? [] : await knownRequirements(cache),
      bin: engine.bin,
    },
    verifiedBy: verifying ? String(verifying.inputs['gpg_public_key'] ?? '') : null,
    python: engine.python,
    checkout: runLimits(settings).checkout,
    taskEnv: settings.get('AWX_TASK_ENV'),
    allowedFolders: settings.get('PROJECT_FILE_URLS') as readonly string[],
    timeout: timeout < 0 ? 0 : timeout || Number(settings.get('DEFAULT_PROJECT_UPDATE_TIMEOUT')),
    spoolLimit: Number(settings.get('SPOOL_LIMIT_BYTES')),
  });
  const data = { ...run.data, verified_by: verifiedBy };
  const shown = { data, job_args: JSON.stringify([...commands[String(run['scm_type'])]!, spec.env['SCM_SHOWN_URL']]) };
  const hidden = [...secrets, ...servers.secrets];
  const unstored = lookedUpSecrets(credential ? [credential, ...servers.credentials] : servers.credentials);
  return { spec, secrets: hidden, unstored, columns: (workspace) => ({ ...shown, job_cwd: `${workspace}/work` }) };
}

export async function secretsOfUpdate(deps: PrepareDeps, run: RunInContext): Promise<string[]> {
  const servers = await storedServers(deps, run.organization_id);
  return [...(await secretTexts(deps, credentialOf(run))), ...servers.flatMap(secretsOf)];
}
