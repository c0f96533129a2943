import type { Knex } from 'knex';

/** What lists need once ordinary users read them, and the two instance groups that every service has. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- runs of an organization in the order of lists, for its administrators and auditors
    create index runs_organization_id on runs (organization_id, id);
    insert into instance_groups (name) values ('controlplane'), ('default') on conflict do nothing;
    insert into instance_group_instances (instance_group_id, instance_id)
    select g.id, i.id from instance_groups g cross join instances i where g.name in ('controlplane', 'default') on conflict do nothing;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index runs_organization_id;
    delete from instance_groups where name in ('controlplane', 'default');
  `);
}
