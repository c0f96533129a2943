import type { Knex } from 'knex';

/** The cleanups of the service itself: there from the first day, and no others. */
const templates = [
  ['cleanup_jobs', 'Cleanup Job Details', 'Removes runs that ended long ago, with their events.'],
  ['cleanup_activitystream', 'Cleanup Activity Stream', 'Removes old entries of the activity stream.'],
  ['cleanup_sessions', 'Cleanup Expired Sessions', 'Removes browser sessions that have expired.'],
  ['cleanup_tokens', 'Cleanup Expired OAuth 2 Tokens', 'Removes tokens that have expired.'],
] as const;

export async function up(knex: Knex): Promise<void> {
  for (const [job_type, name, description] of templates)
    await knex('templates')
      .insert({ kind: 'system_job_template', name, description, job_type })
      .onConflict(['kind', 'name', 'organization_id', 'name_scope'])
      .ignore();
  await knex.raw('create index if not exists runs_ended_by_creation on runs (created) where finished is not null');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index if exists runs_ended_by_creation');
  await knex('runs').where({ kind: 'system_job' }).delete();
  await knex('templates').where({ kind: 'system_job_template' }).delete();
}
