import type { Knex } from 'knex';

/** A job template with all that a launch asks for, written straight into the database. */
export async function bareTemplate(db: Knex): Promise<number> {
  const inserted = async (table: string, row: object) => (await db(table).insert(row).returning('id'))[0].id;
  const inventory = await inserted('inventories', { name: 'i' });
  const project = await inserted('templates', { kind: 'project', name: 'p', status: 'ok', local_path: 'p' });
  const of = { project_id: project, inventory_id: inventory };
  return inserted('templates', { kind: 'job_template', name: 't', playbook: 'site.yml', ...of });
}
