import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- What a smart inventory held when it was counted last: for filters, order and what only mentions it.
    alter table inventories
      add column smart_hosts integer not null default 0,
      add column smart_hosts_failed integer not null default 0;
    create index inventories_smart on inventories (organization_id) where kind = 'smart';

    -- The hosts that a run works on where its inventory holds none itself, as they were when it was prepared: what it says of
    -- them by name belongs to these, whatever a filter finds meanwhile.
    create table run_hosts (
      run_id  bigint not null references runs on delete cascade,
      name    text not null,
      host_id bigint not null references hosts on delete cascade,
      primary key (run_id, name)
    );
    create index run_hosts_host on run_hosts (host_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table run_hosts;
    alter table inventories drop column smart_hosts, drop column smart_hosts_failed;
  `);
}
