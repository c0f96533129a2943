import type { Knex } from 'knex';

/**
 * Words that an organization puts on its templates and inventories. A job keeps those of its launch in its own row, so that a launch
 * stays one insert; the view is what lists and filters read. A label ends with its last use.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table labels (
      id              bigint generated always as identity primary key,
      name            text not null,
      organization_id bigint not null references organizations on delete cascade,
      created         timestamptz not null default now(),
      modified        timestamptz not null default now(),
      created_by_id   bigint references users on delete set null,
      modified_by_id  bigint references users on delete set null,
      constraint labels_name_organization unique (name, organization_id)
    );
    create index labels_organization on labels (organization_id);

    create table template_labels (
      template_id bigint not null references templates on delete cascade,
      label_id    bigint not null references labels on delete cascade,
      primary key (template_id, label_id)
    );
    create index template_labels_label on template_labels (label_id);

    create table inventory_labels (
      inventory_id bigint not null references inventories on delete cascade,
      label_id     bigint not null references labels on delete cascade,
      primary key (inventory_id, label_id)
    );
    create index inventory_labels_label on inventory_labels (label_id);

    alter table runs add column label_ids bigint[];
    create index runs_labels on runs using gin (label_ids) where label_ids is not null;
    create view run_labels as select id as run_id, unnest(label_ids) as label_id from runs where label_ids is not null;

    create function end_unused_labels(used bigint[]) returns void language sql as $$
      delete from labels l where l.id = any (used)
        and not exists (select 1 from template_labels t where t.label_id = l.id)
        and not exists (select 1 from inventory_labels i where i.label_id = l.id)
        and not exists (select 1 from runs r where r.label_ids is not null and r.label_ids @> array[l.id])
    $$;
    create function label_link_ended() returns trigger language plpgsql as $$
      begin
        perform end_unused_labels(array(select label_id from ended));
        return null;
      end $$;
    create trigger template_labels_ended after delete on template_labels
      referencing old table as ended for each statement execute function label_link_ended();
    create trigger inventory_labels_ended after delete on inventory_labels
      referencing old table as ended for each statement execute function label_link_ended();
    create function run_labels_ended() returns trigger language plpgsql as $$
      begin
        perform end_unused_labels(old.label_ids);
        return null;
      end $$;
    create trigger runs_labels_ended after delete on runs
      for each row when (old.label_ids is not null) execute function run_labels_ended();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger runs_labels_ended on runs;
    drop view run_labels;
    alter table runs drop column label_ids;
    drop table template_labels, inventory_labels, labels;
    drop function run_labels_ended, label_link_ended, end_unused_labels;
  `);
}
