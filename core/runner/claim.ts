import type { Knex } from 'knex';
import { runPrepared } from '../engine/prepared.ts';

/** A run with what its execution needs from the database, but for inventory and credentials. */
export interface ClaimedRun {
  [column: string]: any;
  id: number;
  template: Record<string, any> | null;
  project: Record<string, any> | null;
  inventory: { id: number; name: string } | null;
  user: Record<string, any> | null;
  credential_ids: number[];
  launch_secrets: { name: string; value: string }[];
  /** columns that become known with the start */
  columns?: Record<string, unknown>;
}

/** What they are, as columns over `run`. */
const context = `
  (select jsonb_build_object('id', t.id, 'name', t.name, 'extra_vars', t.extra_vars) from templates t where t.id = run.template_id) as template,
  (select jsonb_build_object('id', p.id, 'name', p.name, 'status', p.status, 'scm_type', p.scm_type, 'scm_branch', p.scm_branch, 'scm_revision', p.scm_revision,
          'local_path', p.local_path, 'scm_track_submodules', p.scm_track_submodules)
   from templates p where p.id = run.project_id) as project,
  (select jsonb_build_object('id', i.id, 'name', i.name) from inventories i where i.id = run.inventory_id) as inventory,
  (select jsonb_build_object('id', u.id, 'username', u.username, 'email', u.email, 'first_name', u.first_name, 'last_name', u.last_name)
   from users u where u.id = run.actor_id) as "user",
  coalesce((select jsonb_agg(c.credential_id order by c.credential_id) from run_credentials c where c.run_id = run.id), '[]') as credential_ids,
  coalesce((select jsonb_agg(jsonb_build_object('name', s.name, 'value', s.value)) from run_secrets s where s.run_id = run.id), '[]') as launch_secrets`;

/** For whoever assigns a run to this very process, and so claims it in the same statement. */
export const assignedHere = {
  /** the claim, as a column of the run */
  claimBy: (executor: string) => ({ handle: { executor, claimed: new Date().toISOString() } }),
  reading: `, ${context}`,
};

const claim = {
  name: 'runner claim',
  text: `with run as (
       update runs set handle = jsonb_build_object('executor', $1::text, 'claimed', now()) where id = $2 and instance_id = $3 and status = 'waiting' and handle is null
       returning *
     ) select run.*, ${context} from run`,
};

/**
 * Only one process gets a run, and gets it once: the claim is written before anything is started.
 * Resolves to null for everybody else.
 */
export async function claimRun(db: Knex, id: number, instance: number, executor: string): Promise<ClaimedRun | null> {
  const [run] = await runPrepared(db, claim, [executor, id, instance]);
  return run ?? null;
}

export async function reloadRun(db: Knex, id: number): Promise<ClaimedRun | null> {
  const { rows } = await db.raw(`select run.*, ${context} from runs run where run.id = ?`, [id]);
  return rows[0] ?? null;
}
