import { ApiError, type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { limitProblem } from '../../inventory/limit.ts';
import { type Address, assertLinks, assertUseWhereItGoes } from '../../rbac/rights.ts';
import { branchProblem } from '../../scm/url.ts';
import { storedVariables } from '../../yaml/variables.ts';
import { regexProblem } from './host-filter.ts';
import { sourceLinks } from './rules.ts';
import { fitsKind, kindOfSource, type SourceKind } from './source-kinds.ts';

/** A source as it is written. */
export type SourceRow = Row & {
  name: string;
  inventory_id: number;
  organization_id: number | null;
  source: string;
  source_path: string;
  source_vars: string;
  source_script: string;
  scm_branch: string;
  host_filter: string;
  limit: string;
  project_id: number | null;
  credential_id: number | null;
};

type Judged = Partial<SourceRow>;
type Refuse = (key: string, text: string) => void;

/** A source that the service made for a constructed inventory: the rest of it is the service's. */
const ofConstructed = new Set(['source_vars', 'update_cache_timeout', 'limit', 'verbosity']);
/** What gets the credential: the server that the variables name, the script, the file and its plugin, the image that they run in. */
const readsCredential: Address = {
  source: 'source',
  source_path: 'source_path',
  source_vars: 'source_vars',
  source_script: 'source_script',
  scm_branch: 'scm_branch',
  project_id: 'source_project',
  execution_environment_id: 'execution_environment',
};
/** Variables that the sandbox sets itself. */
export const blockedVariables: ReadonlySet<string> = new Set(['HOME', 'USER', '_', 'TERM', 'PATH']);

/** contract/inventory-credentials.md §7.1, over the row as it will be. */
export async function checkSource(context: WriteContext<SourceRow>): Promise<void> {
  const { trx, input, before } = context;
  if (before) await assertLinks(context, sourceLinks);
  await assertUseWhereItGoes(context, readsCredential);
  const row: Judged = { ...before, ...input };
  const errors: Record<string, string[]> = {};
  const refuse: Refuse = (key, text) => void (errors[key] ??= []).push(text);
  if (!row.source) throw ValidationError.field('source', 'This field is required.');
  assertOwn(context, row.source);
  if (!before) await takeInventory(trx, input, refuse);
  checkTexts(row, refuse);
  await checkVariables(row, refuse);
  await checkProject(trx, row, refuse);
  await checkCredential(trx, row, refuse);
  if (Object.keys(errors).length) throw new ValidationError(errors);
}

function assertOwn({ input, before }: WriteContext<SourceRow>, source: string): void {
  if (before?.source !== 'constructed') {
    if (source !== 'constructed') return;
    throw new ApiError(400, { error: ['Sources of constructed inventories are made by the service.'] });
  }
  const changed = Object.keys(input).filter((key) => !ofConstructed.has(key) && input[key] !== before[key]);
  if (changed.length)
    throw new ApiError(400, {
      error: [`Of the source of a constructed inventory only ${[...ofConstructed].join(', ')} can be changed.`],
    });
}

/** Held, so that it is not deleted meanwhile. */
async function takeInventory(trx: Knex, input: Judged, refuse: Refuse): Promise<void> {
  const inventory = await trx('inventories')
    .where({ id: input.inventory_id })
    .forKeyShare()
    .first('kind', 'pending_deletion', 'organization_id');
  if (!inventory) return refuse('inventory', `Invalid pk "${input.inventory_id}" - object does not exist.`);
  if (inventory.pending_deletion) refuse('inventory', 'The inventory is being deleted.');
  if (inventory.kind) refuse('inventory', `A ${inventory.kind} inventory takes its hosts from elsewhere.`);
  Object.assign(input, { organization_id: inventory.organization_id, name_scope: `inventory:${input.inventory_id}` });
}

function checkTexts(row: Judged, refuse: Refuse): void {
  const { source_path: path = '', limit = '', host_filter: filter = '' } = row;
  if (path.startsWith('/') || path.split('/').includes('..'))
    refuse('source_path', 'Must be a path inside the project.');
  const problem = limitProblem(limit) ?? undefined;
  if (problem) refuse('limit', problem);
  const wrong = regexProblem(filter);
  if (wrong) refuse('host_filter', wrong);
  if (row.source_script && row.source !== 'custom')
    refuse('source_script', 'Only sources of the kind custom have a script of their own.');
  if (row.source === 'scm') return;
  for (const key of ['source_path', 'scm_branch', 'project_id'] as const)
    if (row[key]) refuse('detail', `Cannot set ${key === 'project_id' ? 'source_project' : key} if not SCM type.`);
}

async function checkVariables({ source_vars: text = '' }: Judged, refuse: Refuse): Promise<void> {
  const variables = await storedVariables(text);
  for (const name of Object.keys(variables).filter((key) => blockedVariables.has(key)))
    refuse('source_vars', `\`${name}\` is a prohibited environment variable`);
}

async function checkProject(trx: Knex, row: Judged, refuse: Refuse): Promise<void> {
  if (row.source !== 'scm') return;
  if ((row.project_id ?? null) === null) return refuse('source_project', 'Project required for scm type sources.');
  const project = await trx('templates')
    .where({ id: row.project_id, kind: 'project' })
    .first('scm_type', 'allow_override');
  // whether it is there at all is checked as for any link
  if (!project) return;
  if (!project.scm_type) refuse('source_project', 'Cannot use manual project for SCM-based inventory.');
  if (!row.scm_branch) return;
  const branch = branchProblem(row.scm_branch);
  if (branch) refuse('scm_branch', branch);
  else if (!project.allow_override) refuse('scm_branch', 'Project does not allow overriding branch.');
}

async function checkCredential(trx: Knex, { source = '', credential_id: id }: Judged, refuse: Refuse): Promise<void> {
  const problem = await credentialProblem(trx, source, id ?? null);
  if (problem) refuse('credential', problem);
}

/** Kinds of credentials that a source of a project, or a script, has no use for. */
const useless: Record<string, readonly string[]> = {
  scm: ['vault', 'insights'],
  custom: ['ssh', 'scm', 'insights', 'vault'],
};

/** What is wrong with a source of this kind having that credential, or none. */
export async function credentialProblem(trx: Knex, source: string, id: number | null): Promise<string | undefined> {
  const kind: SourceKind | undefined = kindOfSource(source);
  if (id === null)
    return kind?.credential && !kind.credentialOptional ? 'Credential is required for a cloud source.' : undefined;
  const type = await trx('credentials as c')
    .join('credential_types as t', 't.id', 'c.credential_type_id')
    .where('c.id', id)
    .first('t.kind', 't.namespace');
  if (!type) return undefined;
  if (kind?.credential)
    return fitsKind(type.namespace, kind.credential)
      ? undefined
      : `Cloud-based inventory sources (such as ${source}) require credentials for the matching cloud service.`;
  const refused = useless[source];
  if (!refused) return `Sources of the kind ${source} have no credential.`;
  return refused.includes(type.kind)
    ? `Credentials of type ${[...refused].join(', ')} are disallowed for sources of the kind ${source}.`
    : undefined;
}
