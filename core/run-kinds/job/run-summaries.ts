import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { ask } from '../../credentials/input-schema.ts';
import { askedInputs, passwordsNeeded } from '../../credentials/resolve.ts';
import { launchableSql, launchableSummaries, launchedSql, launchedSummaries } from '../../runs/templates/shown.ts';

const credentialJson = `jsonb_build_object('id', c.id, 'name', c.name, 'description', c.description,
    'kind', coalesce(ct.namespace, ct.kind), 'cloud', ct.kind = 'cloud')`;

/** `json` of each credential `c` and its type `ct`, in the order of their ids. */
const credentialList = (
  json: string,
  through: string,
  owner: string,
) => `coalesce((select jsonb_agg(${json} order by c.id)
  from ${through} x join credentials c on c.id = x.credential_id join credential_types ct on ct.id = c.credential_type_id
  where x.${owner} = {alias}.id), '[]')`;

export const templateSummarySql = {
  ...launchableSql,
  summary_credentials: credentialList(credentialJson, 'template_credentials', 'template_id'),
};

export const templateSummaries = (db: Knex, rows: readonly Row[]) =>
  launchableSummaries(db, rows, (row) => ({ credentials: row['summary_credentials'] }));

/** A credential of a run: what is shown of it, and which of its inputs are asked for at launch. */
interface Used {
  shown: object;
  namespace: string | null;
  asks: string[];
  vault_id: string | null;
}

const asksSql = askedInputs.map((key) => `case when c.inputs ->> '${key}' = '${ask}' then '${key}' end`).join(', ');
const usedJson = `jsonb_build_object('shown', ${credentialJson}, 'namespace', ct.namespace,
    'asks', array_remove(array[${asksSql}], null), 'vault_id', c.inputs -> 'vault_id')`;

export const jobSummarySql = {
  ...launchedSql,
  used_credentials: credentialList(usedJson, 'run_credentials', 'run_id'),
};

const used = (row: Row) => row['used_credentials'] as Used[];

/** What its credentials ask for; that a stored key needs its passphrase shows only where it is opened, when it is launched again. */
export const neededPasswords = (row: Row): string[] =>
  passwordsNeeded(
    used(row).map(({ namespace, asks, vault_id }) => ({
      type: { namespace },
      inputs: { ...(vault_id && { vault_id }), ...Object.fromEntries(asks.map((key) => [key, ask])) },
    })),
  );

export const jobSummaryFields = (db: Knex, rows: readonly Row[]) =>
  launchedSummaries(db, rows, (row) => ({ credentials: used(row).map(({ shown }) => shown) }));
