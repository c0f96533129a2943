import type { Knex } from 'knex';
import type { Actor, Origin } from '@tapline/plugin-sdk';
import { type Part, runPrepared, together } from '../engine/prepared.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { runSecretCell } from '../secrets/rotate.ts';

export interface NewRun {
  columns: Record<string, unknown>;
  credentials: readonly number[];
  passwords: Record<string, string>;
}

export interface Launcher {
  /** who wanted it */
  actor: Actor | null;
  /** whose rights were used */
  authority: Actor | null;
  origin: Origin;
}

export const launcherColumns = ({ actor, authority, origin }: Launcher) => ({
  actor_id: actor?.id ?? null,
  authority_id: authority?.id ?? null,
  created_by_id: actor?.id ?? null,
  modified_by_id: actor?.id ?? null,
  origin: JSON.stringify(origin),
});

interface How {
  /** `pending`: nothing is left to be decided; then `along` has what follows from it, see `Statuses.opening` */
  status?: 'new' | 'pending';
  /** what the same statement does besides; `run` is the new one */
  along?: readonly Part[];
  /**
   * The commit does not wait for the disk. Right for a run that nobody has been told of and that is taken up by a
   * later commit: the log is written in order, so whatever refers to the run brings it along.
   */
  calmly?: boolean;
}

/** The run, its credentials and its passwords in one statement. */
export async function insertRun(
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt'>,
  { columns, credentials, passwords }: NewRun,
  { status = 'new', along = [], calmly = false }: How = {},
): Promise<any> {
  const secrets = Object.entries(passwords);
  const values: Record<string, unknown> = { ...columns, status, status_seq: status === 'new' ? 0 : 1 };
  if (secrets.length) {
    // ciphertexts are bound to the row they stand in, so the id has to be known first
    const { rows } = await trx.raw(`select nextval(pg_get_serial_sequence('runs', 'id')) as id`);
    values['id'] = rows[0].id;
  }
  const sealed = secrets.map(([name, value]) => ({
    name,
    value: keyRing.encrypt(value, runSecretCell(values['id'] as number, name)),
  }));
  const parts = [insertion(values, [...credentials], JSON.stringify(sealed)), ...along, ...(calmly ? [calm] : [])];
  const [run] = await runPrepared(trx, ...together(parts, 'run.*', 'run'));
  return run;
}

const insertion = (columns: Record<string, unknown>, credentials: number[], secrets: string): Part => {
  const names = Object.keys(columns);
  return {
    values: [credentials, secrets, ...names.map((name) => columns[name])],
    sql: (first) => `
      run as (insert into runs (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, index) => `$${first + index + 2}`).join(', ')}) returning *),
      credential as (insert into run_credentials (run_id, credential_id) select run.id, c from run, unnest($${first}::bigint[]) c),
      secret as (insert into run_secrets (run_id, name, value) select run.id, s.name, s.value from run, jsonb_to_recordset($${first + 1}::jsonb) as s(name text, value text))`,
  };
};

const calm: Part = {
  sql: () => "calm as materialized (select set_config('synchronous_commit', 'off', true))",
  values: [],
  read: 'calm',
};
