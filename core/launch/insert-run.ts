import type { Knex } from 'knex';
import type { Actor, Origin } from '@tapline/plugin-sdk';
import { runPrepared, statement } from '../engine/prepared.ts';
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
  /**
   * The commit does not wait for the disk. Right for a run that nobody has been told of and that is taken up by a
   * later commit: the log is written in order, so whatever refers to the run brings it along.
   */
  calmly?: boolean;
}

/** The run, its credentials and its passwords in one statement, in status `new`. */
export async function insertRun(
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt'>,
  { columns, credentials, passwords }: NewRun,
  { calmly = false }: How = {},
): Promise<any> {
  const secrets = Object.entries(passwords);
  const values: Record<string, unknown> = { ...columns, status: 'new' };
  if (secrets.length) {
    // ciphertexts are bound to the row they stand in, so the id has to be known first
    const { rows } = await trx.raw(`select nextval(pg_get_serial_sequence('runs', 'id')) as id`);
    values['id'] = rows[0].id;
  }
  const sealed = secrets.map(([name, value]) => ({
    name,
    value: keyRing.encrypt(value, runSecretCell(values['id'] as number, name)),
  }));
  const names = Object.keys(values);
  const [run] = await runPrepared(trx, insertion(names, calmly), [
    [...credentials],
    JSON.stringify(sealed),
    ...names.map((name) => values[name]),
  ]);
  return run;
}

const insertion = (names: readonly string[], calmly: boolean) =>
  statement(
    `with ${calmly ? "calm as materialized (select set_config('synchronous_commit', 'off', true))," : ''}
          run as (insert into runs (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, index) => `$${index + 3}`).join(', ')}) returning *),
          credential as (insert into run_credentials (run_id, credential_id) select run.id, c from run, unnest($1::bigint[]) c),
          secret as (insert into run_secrets (run_id, name, value) select run.id, s.name, s.value from run, jsonb_to_recordset($2::jsonb) as s(name text, value text))
     select run.* from run${calmly ? ', calm' : ''}`,
  );
