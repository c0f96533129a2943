import type { Knex } from 'knex';

/** Every column that names a credential, by table. */
const places: Record<string, readonly string[]> = {
  template_credentials: ['credential_id'],
  templates: ['credential_id', 'signature_validation_credential_id', 'webhook_credential_id'],
  run_credentials: ['credential_id'],
  runs: ['credential_id', 'webhook_credential_id'],
  workflow_node_credentials: ['credential_id'],
  workflow_job_node_credentials: ['credential_id'],
  schedule_credentials: ['credential_id'],
  credential_input_sources: ['target_credential_id', 'source_credential_id'],
  organization_galaxy_credentials: ['credential_id'],
  execution_environments: ['credential_id'],
  instance_groups: ['credential_id'],
};

export const usesOfCredentials = Object.entries(places).flatMap(([table, columns]) =>
  columns.map((column) => ({ table, column })),
);

const sql = `select ${usesOfCredentials
  .map(({ table, column }) => `exists (select from ${table} where ${column} = :id)`)
  .join(' or ')} as used`;

export const isInUse = async (db: Knex, id: number): Promise<boolean> => (await db.raw(sql, { id })).rows[0].used;
