import type { LaunchTemplate as TemplateRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { shownBy } from '../../../inventory/federated.ts';
import { masked } from '../../../secrets/masked.ts';
import { runPrepared } from '../../../db/prepared.ts';
import type { Variables } from '../../../yaml/variables.ts';
import type { LaunchCredential } from './passwords.ts';

/** A template with all that a launch decides by. */
export interface StoredTemplate extends TemplateRow {
  [column: string]: unknown;
  organization: { id: number; name: string } | null;
  project: LaunchProject | null;
  inventory: LaunchInventory | null;
  credentials: LaunchCredential[];
  labels: { id: number; name: string }[];
}

export interface LaunchTemplate extends StoredTemplate {
  /** its own extra variables, read */
  variables: Variables;
}

export interface LaunchInventory {
  id: number;
  name: string;
  pending_deletion: boolean;
  /** its sources that are updated before a job, or those of the inventories that it shows */
  updated_first: number[];
  /** the inventories that it shows */
  shows: number[];
}

export interface LaunchProject {
  id: number;
  name: string;
  status: string;
  scm_type: string;
  scm_branch: string;
  scm_revision: string;
  scm_update_on_launch: boolean;
  allow_override: boolean;
}

const updatedFirst = `(select coalesce(jsonb_agg(s.id order by s.id), '[]') from templates s
  where s.inventory_id = any (i.id || array(${shownBy('i')})) and s.update_on_launch)`;
const shows = `(select coalesce(jsonb_agg(input_id), '[]') from (${shownBy('i')}) n)`;

/** Inputs that are looked up at the start stand there as if they were stored. */
export const credentialJson = (alias: string, type: string) => `jsonb_build_object(
  'id', ${alias}.id, 'name', ${alias}.name, 'inputs', ${alias}.inputs || coalesce((select jsonb_object_agg(s.input_field_name, '${masked}')
    from credential_input_sources s where s.target_credential_id = ${alias}.id), '{}'),
  'type', jsonb_build_object('id', ${type}.id, 'name', ${type}.name, 'kind', ${type}.kind, 'namespace', ${type}.namespace))`;

const loaded = (kind: 'template' | 'run') => `
       (select jsonb_build_object('id', p.id, 'name', p.name, 'status', p.status, 'scm_type', p.scm_type, 'scm_branch', p.scm_branch,
               'scm_revision', p.scm_revision, 'scm_update_on_launch', p.scm_update_on_launch, 'allow_override', p.allow_override)
        from templates p where p.id = t.project_id and p.kind = 'project') as project,
       (select jsonb_build_object('id', o.id, 'name', o.name) from organizations o where o.id = t.organization_id) as organization,
       (select jsonb_build_object('id', i.id, 'name', i.name, 'pending_deletion', i.pending_deletion, 'updated_first', ${updatedFirst}, 'shows', ${shows})
        from inventories i where i.id = t.inventory_id) as inventory,
       (select jsonb_build_object('id', e.id, 'name', e.name) from execution_environments e where e.id = t.execution_environment_id) as execution_environment,
       coalesce((select jsonb_agg(${credentialJson('c', 'ct')} order by c.id)
        from ${kind}_credentials tc join credentials c on c.id = tc.credential_id join credential_types ct on ct.id = c.credential_type_id
        where tc.${kind}_id = t.id), '[]') as credentials,
       coalesce((select jsonb_agg(jsonb_build_object('id', l.id, 'name', l.name) order by l.name)
        from ${kind}_labels tl join labels l on l.id = tl.label_id where tl.${kind}_id = t.id), '[]') as labels`;

const templateById = {
  name: 'launch template',
  text: `select t.*, ${loaded('template')}
     from templates t where t.id = $1 and t.kind = 'job_template'`,
};

const orphanById = {
  name: 'launch orphan',
  text: `select t.*, null as id, ${loaded('run')}
     from runs t where t.id = $1 and t.kind = 'job' and t.template_id is null`,
};

/** Everything that a launch decides by, in one round trip. */
export async function loadTemplate(db: Knex, id: number): Promise<StoredTemplate | undefined> {
  return (await runPrepared<StoredTemplate>(db, templateById, [id]))[0];
}

/** A job whose template is gone, in the place of that template: it is repeated as it was. */
export async function loadOrphan(db: Knex, job: number): Promise<StoredTemplate | undefined> {
  return (await runPrepared<StoredTemplate>(db, orphanById, [job]))[0];
}

export async function loadCredentials(db: Knex, ids: readonly number[]): Promise<LaunchCredential[]> {
  if (!ids.length) return [];
  const { rows } = await db.raw(
    `select ${credentialJson('c', 'ct')} as credential
     from credentials c join credential_types ct on ct.id = c.credential_type_id where c.id = any(?) order by c.id`,
    [[...ids]],
  );
  return rows.map((row: { credential: LaunchCredential }) => row.credential);
}

export async function loadInventory(db: Knex, id: number): Promise<LaunchTemplate['inventory']> {
  const columns = ['id', 'name', 'pending_deletion', db.raw(`${updatedFirst} as updated_first, ${shows} as shows`)];
  return (await db('inventories as i').where({ id }).first(columns)) ?? null;
}
