import type { Launcher, Locks, MovedRun, RunKind, RunPlan, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { nextId } from '../db/next-id.ts';
import { noWaitSql, type Part, runPrepared, together } from '../db/prepared.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { runSecretCell } from '../secrets/cells.ts';
import { ANSWER } from './locks.ts';
import { sealVariables } from '../secrets/secret-variables.ts';
import type { Statuses } from './status.ts';

export type NewRun = Pick<RunPlan, 'columns' | 'credentials' | 'passwords' | 'secretVariables'>;

type Sealing = Pick<KeyRing, 'encrypt'>;

const nobody: Locks = { holds: [], waitsFor: [] };

/** The columns of a planned run that every kind has. */
export function plannedColumns(
  kind: RunKind,
  { columns, locks = nobody, updatesFirst = [] }: RunPlan,
  { actor, authority, origin }: Launcher,
): Record<string, unknown> {
  return {
    ...columns,
    kind: kind.kind,
    needs: kind.needs,
    holds: locks.holds,
    waits_for: locks.waitsFor,
    updates_first: updatesFirst,
    actor_id: actor?.id ?? null,
    authority_id: authority?.id ?? null,
    created_by_id: actor?.id ?? null,
    modified_by_id: actor?.id ?? null,
    origin: JSON.stringify(origin),
    ...(kind.staysPending
      ? { blocked_on: ANSWER }
      : { pending_reasons: JSON.stringify([{ code: 'queued', text: 'Waiting for the dispatcher.' }]) }),
  };
}

/** Of a run that waits for its taps nobody has been told, and whatever refers to it brings it along in the log. */
export const noWait: Part = {
  values: [],
  sql: () => `no_wait as (select ${noWaitSql})`,
  read: 'no_wait',
};

/** The run in status `new`. */
export async function insertNew(db: Knex, keyRing: Sealing, run: NewRun, more: readonly Part[] = []): Promise<RunRow> {
  const stored = await inserting(db, keyRing, { ...run, columns: { ...run.columns, status: 'new' } });
  const [row] = await runPrepared<RunRow>(db, ...together([stored, ...more], 'moved.*', 'moved'));
  return row!;
}

/** The run as if it had been `new` for a moment: nobody decides about it. */
export async function insertPending(
  trx: Knex,
  { keyRing, statuses }: { keyRing: Sealing; statuses: Pick<Statuses, 'insertPending'> },
  run: NewRun,
  more: readonly Part[],
): Promise<MovedRun> {
  const columns = { ...run.columns, status: 'pending', status_seq: 1 };
  const [row] = await statuses.insertPending(trx, [await inserting(trx, keyRing, { ...run, columns }), ...more]);
  return row!;
}

/** The run, its credentials and its passwords. */
async function inserting(
  trx: Knex,
  keyRing: Sealing,
  { columns, credentials = [], passwords = {}, secretVariables = {} }: NewRun,
): Promise<Part> {
  const secrets = Object.entries(passwords);
  const values: Record<string, unknown> = { ...columns };
  const hides = Object.keys(secretVariables).length > 0;
  if (secrets.length || hides) {
    // ciphertexts are bound to the row they stand in, so the id has to be known first
    values['id'] = await nextId(trx, 'runs');
  }
  if (hides)
    values['survey_passwords'] = JSON.stringify(sealVariables(keyRing, values['id'] as number, secretVariables));
  const sealed = secrets.map(([name, value]) => ({
    name,
    value: keyRing.encrypt(value, runSecretCell(values['id'] as number, name)),
  }));
  const names = Object.keys(values).toSorted();
  return {
    values: [[...credentials], JSON.stringify(sealed), ...names.map((name) => values[name])],
    sql: (first) => `
    moved as (
      insert into runs (${names.map((name) => `"${name}"`).join(', ')})
      values (${names.map((_, index) => `$${first + index + 2}`).join(', ')})
      returning *, 'new' as from_status, null as was_blocked_on
    ), credential as (
      insert into run_credentials (run_id, credential_id) select moved.id, c from moved, unnest($${first}::bigint[]) c
    ), secret as (
      insert into run_secrets (run_id, name, value)
      select moved.id, s.name, s.value from moved, jsonb_to_recordset($${first + 1}::jsonb) as s(name text, value text)
    )`,
  };
}
