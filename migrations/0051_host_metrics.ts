import type { Knex } from 'knex';

/** Which hosts were ever automated, by name: it outlives the hosts themselves. Counted where job host summaries are written. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table host_metrics (
      id                  bigint generated always as identity primary key,
      hostname            text not null constraint host_metrics_hostname unique,
      first_automation    timestamptz not null default now(),
      last_automation     timestamptz not null default now(),
      last_deleted        timestamptz,
      automated_counter   bigint not null default 0,
      deleted_counter     bigint not null default 0,
      deleted             boolean not null default false,
      used_in_inventories integer
    );
    create index host_metrics_last_automation on host_metrics (last_automation);

    create table host_metric_months (
      id                       bigint generated always as identity primary key,
      date                     date not null constraint host_metric_months_date unique,
      license_consumed         bigint not null default 0,
      license_capacity         bigint not null default 0,
      hosts_added              integer not null default 0,
      hosts_deleted            integer not null default 0,
      indirectly_managed_hosts integer not null default 0
    );

    insert into host_metrics (hostname, first_automation, last_automation, automated_counter)
    select host_name, min(created), max(created), count(*) from job_host_summaries group by host_name;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table host_metric_months, host_metrics');
}
