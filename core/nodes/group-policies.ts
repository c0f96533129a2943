import type { Knex } from 'knex';

const carries = `node_type in ('hybrid', 'execution')`;

/** Nodes that a group names itself; who takes one off the list takes it out by hand. */
const listed = `insert into instance_group_instances (instance_group_id, instance_id)
  select g.id, i.id from instance_groups g cross join jsonb_array_elements_text(g.policy_instance_list) named
    join instances i on i.hostname = named and i.${carries}
  where not g.is_container_group
  on conflict (instance_group_id, instance_id) do update set by_policy = false`;

/** As many more as its minimum and its percentage ask for, those that serve the fewest groups first; no more than that. */
const counted = `with eligible as (
    select i.id, (select count(*) from instance_group_instances m where m.instance_id = i.id) as load
    from instances i where i.${carries} and i.managed_by_policy
  ), wanted as (
    select greatest(g.policy_instance_minimum, ceil(g.policy_instance_percentage * (select count(*) from eligible) / 100.0), 0)
      - (select count(*) from instance_group_instances m where m.instance_group_id = g.id and not m.by_policy) as number
    from instance_groups g where g.id = :group
  ), kept as (
    select e.id from eligible e join instance_group_instances m on m.instance_id = e.id
    where m.instance_group_id = :group and m.by_policy order by e.load, e.id limit greatest((select number from wanted), 0)
  ), gone as (
    delete from instance_group_instances m
    where m.instance_group_id = :group and m.by_policy and m.instance_id not in (select id from kept)
  )
  insert into instance_group_instances (instance_group_id, instance_id, by_policy)
  select :group, e.id, true from eligible e
  where not exists (select from instance_group_instances m where m.instance_group_id = :group and m.instance_id = e.id)
  order by e.load, e.id limit greatest((select number from wanted) - (select count(*) from kept), 0)
  on conflict do nothing`;

/** Brings the nodes of all groups in line with what the groups ask for. Whoever changes a group or a node calls it. */
export async function applyGroupPolicies(trx: Knex): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtext('policies of instance groups'))`);
  await trx.raw(listed);
  const groups: number[] = await trx('instance_groups as g')
    .where({ is_container_group: false })
    .whereRaw(
      `(g.policy_instance_minimum > 0 or g.policy_instance_percentage > 0
        or exists (select from instance_group_instances m where m.instance_group_id = g.id and m.by_policy))`,
    )
    .orderBy('g.id')
    .pluck('g.id');
  // what one group takes counts for the next, and there are a few
  // oxlint-disable-next-line no-await-in-loop
  for (const group of groups) await trx.raw(counted, { group });
}
