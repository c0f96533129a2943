import type { Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { passwordsNeeded } from '../../credentials/resolve.ts';
import { launchableSql, launchableSummaries, launchedSql, launchedSummaries } from '../../runs/templates/shown.ts';

const credentialList = (
  through: string,
  owner: string,
  id: string,
) => `coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name, 'description', c.description,
    'kind', coalesce(ct.namespace, ct.kind), 'cloud', ct.kind = 'cloud') order by c.id)
  from ${through} x join credentials c on c.id = x.credential_id join credential_types ct on ct.id = c.credential_type_id where x.${owner} = ${id}), '[]')`;

export const templateSummarySql = {
  ...launchableSql,
  summary_credentials: credentialList('template_credentials', 'template_id', '{alias}.id'),
};

const credentials = (row: Row) => ({ credentials: row['summary_credentials'] });

export const templateSummaries = (db: Knex, rows: readonly Row[]) => launchableSummaries(db, rows, credentials);

export const jobSummarySql = {
  ...launchedSql,
  summary_credentials: credentialList('run_credentials', 'run_id', '{alias}.id'),
  asking_credentials: `(select jsonb_agg(jsonb_build_object('type', jsonb_build_object('namespace', ct.namespace), 'inputs',
      (select jsonb_object_agg(e.key, e.value) from jsonb_each(c.inputs) e where e.value = '"ASK"' or e.key = 'vault_id')) order by c.id)
    from run_credentials x join credentials c on c.id = x.credential_id join credential_types ct on ct.id = c.credential_type_id
    where x.run_id = {alias}.id and exists (select 1 from jsonb_each(c.inputs) e where e.value = '"ASK"'))`,
};

/** What its credentials ask for; that a stored key needs its passphrase shows only where it is opened, when it is launched again. */
export const neededPasswords = (row: Row): string[] =>
  passwordsNeeded((row['asking_credentials'] ?? []) as Parameters<typeof passwordsNeeded>[0]);

export const jobSummaryFields = (db: Knex, rows: readonly Row[]) => launchedSummaries(db, rows, credentials);
