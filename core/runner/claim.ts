import type { ClaimedRun, RunInContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openVariables } from '../secrets/secret-variables.ts';
import { runSecretCell } from '../secrets/cells.ts';

/** What the execution of a run needs from the database besides its row. */
const context = `
  (select jsonb_build_object('id', t.id, 'name', t.name, 'extra_vars', t.extra_vars) from templates t where t.id = run.template_id) as template,
  (select jsonb_build_object('id', p.id, 'name', p.name, 'status', p.status, 'scm_type', p.scm_type, 'scm_branch', p.scm_branch, 'scm_revision', p.scm_revision,
          'local_path', p.local_path, 'scm_track_submodules', p.scm_track_submodules,
          'signature_validation_credential_id', p.signature_validation_credential_id)
   from templates p where p.id = run.project_id) as project,
  (select jsonb_build_object('id', i.id, 'name', i.name, 'kind', i.kind, 'organization_id', i.organization_id, 'host_filter', i.host_filter)
   from inventories i where i.id = run.inventory_id) as inventory,
  (select jsonb_build_object('id', e.id, 'name', e.name, 'image', e.image, 'pull', e.pull, 'credential_id', e.credential_id) from execution_environments e where e.id = coalesce(run.execution_environment_id,
          (select p.default_environment_id from templates p where p.id = run.project_id), (select o.default_environment_id from organizations o where o.id = run.organization_id))) as environment,
  (select jsonb_build_object('id', u.id, 'username', u.username, 'email', u.email, 'first_name', u.first_name, 'last_name', u.last_name)
   from users u where u.id = run.actor_id) as "user",
  (select jsonb_build_object('id', s.id, 'name', s.name) from schedules s where s.id = run.schedule_id) as schedule,
  (select jsonb_build_object('id', w.id, 'name', w.name, 'launch_type', w.launch_type, 'schedule',
          (select jsonb_build_object('id', s.id, 'name', s.name) from schedules s where s.id = w.schedule_id))
   from runs w where w.id = run.parent_id and run.parent_part is not null) as workflow,
  coalesce((select jsonb_agg(c.credential_id order by c.credential_id) from run_credentials c where c.run_id = run.id), '[]') as credential_ids,
  coalesce((select jsonb_agg(jsonb_build_object('name', s.name, 'value', s.value)) from run_secrets s where s.run_id = run.id), '[]') as launch_secrets`;

const claim = {
  name: 'runner claim',
  text: `with run as (
       update runs set handle = jsonb_build_object('executor', $1::text, 'claimed', now()) where id = $2 and instance_id = $3 and needs = 'engine' and status = 'waiting' and handle is null
         and kind = any ($4)
       returning *
     ) select run.*, ${context} from run`,
};

const reload = { name: 'runner reload', text: `select run.*, ${context} from runs run where run.id = $1` };

/** Passwords given at launch are still sealed. */
export interface StoredClaim extends RunInContext {
  launch_secrets: { name: string; value: string }[];
}

interface Claiming {
  instance: number;
  executor: string;
  /** that are on: a run of any other is not begun */
  kinds: readonly string[];
}

/**
 * Only one process gets a run, and gets it once: the claim is written before anything is started.
 * Resolves to null for everybody else.
 */
export async function claimRun(
  db: Knex,
  id: number,
  { instance, executor, kinds }: Claiming,
): Promise<StoredClaim | null> {
  const [run]: StoredClaim[] = await runPrepared(db, claim, [executor, id, instance, kinds]);
  return run ?? null;
}

export async function reloadRun(db: Knex, id: number): Promise<StoredClaim | null> {
  const [run]: StoredClaim[] = await runPrepared(db, reload, [id]);
  return run ?? null;
}

export function openPasswords(keyRing: Pick<KeyRing, 'decrypt'>, stored: StoredClaim): ClaimedRun {
  const { launch_secrets: secrets, ...run } = stored;
  const passwords = secrets.map(({ name, value }) => [name, keyRing.decrypt(value, runSecretCell(stored.id, name))]);
  const secretVariables = openVariables(keyRing, stored);
  return { ...run, passwords: Object.fromEntries(passwords), secretVariables } as ClaimedRun;
}
