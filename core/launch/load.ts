import type { Actor } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../engine/prepared.ts';
import { labelVisible } from '../rbac/label-rules.ts';
import type { LaunchCredential } from './passwords.ts';

export interface LaunchTemplate {
  [column: string]: any;
  id: number;
  project: LaunchProject | null;
  inventory: { id: number; name: string; pending_deletion: boolean } | null;
  credentials: LaunchCredential[];
  labels: { id: number; name: string }[];
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

export const credentialJson = (alias: string, type: string) => `jsonb_build_object(
  'id', ${alias}.id, 'name', ${alias}.name, 'inputs', ${alias}.inputs,
  'type', jsonb_build_object('id', ${type}.id, 'name', ${type}.name, 'kind', ${type}.kind, 'namespace', ${type}.namespace))`;

const loaded = (kind: 'template' | 'run') => `
       (select jsonb_build_object('id', p.id, 'name', p.name, 'status', p.status, 'scm_type', p.scm_type, 'scm_branch', p.scm_branch,
               'scm_revision', p.scm_revision, 'scm_update_on_launch', p.scm_update_on_launch, 'allow_override', p.allow_override)
        from templates p where p.id = t.project_id and p.kind = 'project') as project,
       (select jsonb_build_object('id', i.id, 'name', i.name, 'pending_deletion', i.pending_deletion)
        from inventories i where i.id = t.inventory_id) as inventory,
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
export async function loadTemplate(db: Knex, id: number): Promise<LaunchTemplate | undefined> {
  return (await runPrepared(db, templateById, [id]))[0];
}

/** A job whose template is gone, in the place of that template: it is repeated as it was. */
export async function loadOrphan(db: Knex, job: number): Promise<LaunchTemplate | undefined> {
  return (await runPrepared(db, orphanById, [job]))[0];
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

/** Those of the instance groups that there are. */
export const loadInstanceGroups = async (db: Knex, ids: readonly number[]): Promise<number[]> =>
  ids.length ? db('instance_groups').whereIn('id', ids).pluck('id') : [];

/** Those of the labels that there are; with an actor only those it sees. */
export async function loadLabels(db: Knex, ids: readonly number[], actor?: Actor | null): Promise<number[]> {
  if (!ids.length) return [];
  const found = db('labels as l').whereIn('l.id', ids);
  if (actor) labelVisible().query(actor, found, 'l');
  return found.pluck('l.id');
}

export async function loadInventory(db: Knex, id: number): Promise<LaunchTemplate['inventory']> {
  return (await db('inventories').where({ id }).first('id', 'name', 'pending_deletion')) ?? null;
}
