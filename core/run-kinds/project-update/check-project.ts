import type { Knex } from 'knex';
import { type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import { assertUseWhereItGoes } from '../../rbac/rights.ts';
import type { Settings } from '../../settings/settings.ts';
import { checkWebhook } from '../../webhooks/check-webhook.ts';
import { unusedFolders } from '../../scm/folders.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { branchProblem, refspecProblem, restoreUrl, urlProblem } from '../../scm/url.ts';
import { subversionProblems } from './subversion.ts';
import { openUrl, sealUrl } from '../../secrets/url-secret.ts';

export interface ProjectDeps {
  config: { dataDir: string };
  settings: Pick<Settings, 'get'>;
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>;
}

/** A project as it is written. */
export type ProjectRow = Row & {
  name: string;
  organization_id: number | null;
  local_path: string;
  scm_type: string;
  scm_url: string;
  scm_branch: string;
  scm_refspec: string;
  scm_track_submodules: boolean;
  credential_id: number | null;
  signature_validation_credential_id: number | null;
  allow_override: boolean;
};

type Judged = Partial<ProjectRow>;
type Refuse = (key: string, text: string) => void;

const sourceOnly = ['scm_update_on_launch', 'scm_delete_on_update', 'scm_track_submodules', 'scm_clean'];

/** contract/jobs.md §18.2, over the row as it will be. */
export async function checkProject(deps: ProjectDeps, context: WriteContext<ProjectRow>): Promise<void> {
  const { trx, input, before } = context;
  if (before && typeof input['scm_url'] === 'string') input['scm_url'] = restoreUrl(input['scm_url'], before.scm_url);
  const row = { ...before, ...input };
  const errors: Record<string, string[]> = {};
  const refuse: Refuse = (key, text) => void (errors[key] ??= []).push(text);
  if (row.scm_type) await checkSource(deps, trx, row, before, refuse);
  else await checkManual(deps, trx, row, before, input, refuse);
  if (row['webhook_service'] && !row.scm_type) refuse('webhook_service', 'Manual projects have no source to hear of.');
  await checkWebhook(context, refuse);
  if (before) await checkUse(trx, row, before, refuse);
  if (Object.keys(errors).length) throw new ValidationError(errors);
  if (typeof input['scm_url'] === 'string')
    input['scm_url'] = storedUrl(deps.keyRing, input['scm_url'], before?.scm_url);
  // once the same address is known to be the same
  if (row.scm_type) await assertUseWhereItGoes(context, { scm_type: 'scm_type', scm_url: 'scm_url' });
}

/** The same address again keeps its stored form: it is no change. */
const storedUrl = (keyRing: ProjectDeps['keyRing'], url: string, before: string | undefined): string =>
  before !== undefined && (url === before || url === opened(keyRing, before)) ? before : sealUrl(keyRing, url);

/** A password that no key opens any more is replaced by the one that is sent. */
function opened(keyRing: ProjectDeps['keyRing'], url: string): string | null {
  try {
    return openUrl(keyRing, url);
  } catch {
    return null;
  }
}

async function checkSource(
  { settings }: ProjectDeps,
  trx: Knex,
  row: Judged,
  before: ProjectRow | undefined,
  refuse: Refuse,
): Promise<void> {
  const problem = urlProblem(
    row.scm_type ?? '',
    row.scm_url ?? '',
    settings.get('PROJECT_FILE_URLS') as readonly string[],
  );
  if (problem) refuse('scm_url', problem);
  for (const [key, text] of Object.entries(subversionProblems(row, before))) refuse(key, text);
  const branch = branchProblem(row.scm_branch ?? '');
  if (branch) refuse('scm_branch', branch);
  if (row.scm_type === 'archive' && row.scm_branch) refuse('scm_branch', 'Archives have no branches.');
  const refspec =
    row.scm_refspec && row.scm_type !== 'git'
      ? 'Only git sources have refspecs.'
      : refspecProblem(row.scm_refspec ?? '');
  if (refspec) refuse('scm_refspec', refspec);
  if (row.scm_track_submodules && row.scm_type !== 'git')
    refuse('scm_track_submodules', 'Only git sources have submodules.');
  if (row.local_path && row.local_path !== (before?.local_path ?? ''))
    refuse('local_path', 'The folder of a source-control project is chosen by the service.');
  const kinds = await kindsOf(trx, [row.credential_id, row.signature_validation_credential_id]);
  if (row.credential_id != null && kinds.get(row.credential_id) !== 'scm')
    refuse('credential', 'Only credentials of the kind scm can be used by a project.');
  const key = row.signature_validation_credential_id;
  if (key != null && kinds.get(key) !== 'cryptography')
    refuse(
      'signature_validation_credential',
      'Only credentials of the kind cryptography can verify a project: GPG public keys (sigstore is not verified).',
    );
}

async function kindsOf(trx: Knex, ids: readonly (number | null | undefined)[]): Promise<Map<number, string>> {
  const given = ids.filter((id) => id != null);
  if (!given.length) return new Map();
  const rows: { id: number; kind: string }[] = await trx('credentials as c')
    .join('credential_types as t', 't.id', 'c.credential_type_id')
    .whereIn('c.id', given)
    .select('c.id', 't.kind');
  return new Map(rows.map(({ id, kind }) => [id, kind]));
}

async function checkManual(
  { config }: ProjectDeps,
  trx: Knex,
  row: Judged,
  before: ProjectRow | undefined,
  input: Judged,
  refuse: Refuse,
): Promise<void> {
  for (const key of sourceOnly) if (row[key]) refuse(key, 'Manual projects have no source.');
  if (row.signature_validation_credential_id != null)
    refuse('signature_validation_credential', 'Manual projects are not fetched, so nothing of them is verified.');
  Object.assign(input, { scm_url: '', scm_branch: '', scm_refspec: '', scm_revision: '', credential_id: null });
  if (!before) input.status = 'ok';
  if (!row.local_path || row.local_path === before?.local_path) return;
  const used = await trx('templates')
    .where({ local_path: row.local_path })
    .modify((query) => void (before && query.whereNot({ id: before.id })))
    .first('id');
  if (used) return refuse('local_path', 'This folder is used by another project already.');
  if (!(await unusedFolders(trx, config.dataDir)).includes(row.local_path))
    refuse('local_path', 'There is no such folder below the projects folder; config/ lists those that can be used.');
}

async function checkUse(trx: Knex, row: Judged, before: ProjectRow, refuse: Refuse): Promise<void> {
  const overrideOff = before.allow_override && !row.allow_override;
  const moved = (before.organization_id ?? null) !== (row.organization_id ?? null);
  if (!overrideOff && !moved) return;
  const users: { id: number; scm_branch: string; ask_scm_branch_on_launch: boolean }[] = await trx('templates')
    .where({ project_id: before.id, kind: 'job_template' })
    .select('id', 'scm_branch', 'ask_scm_branch_on_launch');
  if (moved && users.length)
    refuse('organization', 'The organization cannot be changed while job templates use the project.');
  const relying = users
    .filter((template) => template.scm_branch || template.ask_scm_branch_on_launch)
    .map(({ id }) => id);
  if (overrideOff && relying.length)
    refuse('allow_override', `Job templates rely on another branch of this project: ${relying.join(', ')}.`);
}
