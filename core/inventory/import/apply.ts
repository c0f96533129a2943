import type { Knex } from 'knex';
import type { ComparedSource } from './compare.ts';
import { assertNoLoops } from './loops.ts';
import { lockTree } from '../membership.ts';
import { readingWholes } from './stage.ts';

/** A host that the source calls by another name now is found again by its instance: its facts and summaries stay. */
const renamed = `
  update hosts o set name = s.name, modified = now()
  from (select min(name) as name, instance_id from staged_hosts where instance_id <> '' group by instance_id having count(*) = 1) s
  where o.inventory_id = :inventory and :source = any (o.source_ids) and o.instance_id = s.instance_id and o.name <> s.name
    and not exists (select from staged_hosts other where other.name = o.name)
    and not exists (select from hosts other where other.inventory_id = :inventory and other.name = s.name)
    and not exists (select from hosts twin where twin.inventory_id = :inventory and twin.instance_id = s.instance_id and twin.id <> o.id)
  returning o.id`;

/** Before anything is compared. Resolves to their ids: their names may be new to the organization. */
export async function renameHosts(
  trx: Knex.Transaction,
  { id: source, inventory_id: inventory }: ComparedSource,
): Promise<number[]> {
  const { rows } = await trx.raw(renamed, { source, inventory });
  return rows.map(({ id }: { id: number }) => id);
}

const notLapsed = 'array_remove(o.lapsed_source_ids, :source::bigint)';
const ofSource = `case when :source = any (o.source_ids) then o.source_ids else o.source_ids || :source::bigint end`;

/** In the order of their ids, as whoever else changes several of them takes them. */
const lockSql = (table: 'hosts' | 'groups') =>
  `select from ${table} o join changed_${table} c on c.id = o.id order by o.id for no key update of o`;

const changeHosts = `
  update hosts o set variables = s.variables, enabled = coalesce(s.enabled, o.enabled), modified = now(),
    instance_id = coalesce(nullif(s.instance_id, ''), o.instance_id), source_ids = ${ofSource}, lapsed_source_ids = ${notLapsed}
  from changed_hosts c join staged_hosts s on s.name = c.name where c.how = 'changed' and o.id = c.id`;
const addHosts = `
  insert into hosts (name, description, inventory_id, enabled, instance_id, variables, source_ids)
  select s.name, 'imported', :inventory::bigint, coalesce(s.enabled, true), s.instance_id, s.variables, array[:source::bigint]
  from changed_hosts c join staged_hosts s on s.name = c.name where c.how = 'added'
  on conflict do nothing returning id`;
const changeGroups = `
  update groups o set variables = s.variables, modified = now(), source_ids = ${ofSource}, lapsed_source_ids = ${notLapsed}
  from changed_groups c join staged_groups s on s.name = c.name where c.how = 'changed' and o.id = c.id`;
const addGroups = `
  insert into groups (name, description, inventory_id, variables, source_ids)
  select s.name, 'imported', :inventory::bigint, s.variables, array[:source::bigint]
  from changed_groups c join staged_groups s on s.name = c.name where c.how = 'added'
  on conflict do nothing`;

const leaveSql = (table: 'hosts' | 'groups') =>
  `update ${table} o set source_ids = array_remove(o.source_ids, :source::bigint), lapsed_source_ids = ${notLapsed}
   from changed_${table} c where c.how = 'left' and o.id = c.id`;
const lapseSql = (table: 'hosts' | 'groups') =>
  `update ${table} o set lapsed_source_ids = o.lapsed_source_ids || :source::bigint
   from changed_${table} c where c.how = 'lapsed' and o.id = c.id`;
const removeSql = (table: 'hosts' | 'groups') =>
  `delete from ${table} o using changed_${table} c where c.how = 'removed' and o.id = c.id`;

/** What was compared stays as it is from here on. */
export async function lockChanged(trx: Knex.Transaction, { inventory_id: inventory }: ComparedSource): Promise<void> {
  await lockTree(trx, inventory);
  await trx.raw(lockSql('hosts'));
  await trx.raw(lockSql('groups'));
}

const ofHosts = [removeSql('hosts'), leaveSql('hosts'), lapseSql('hosts'), changeHosts];
const ofGroups = [removeSql('groups'), leaveSql('groups'), lapseSql('groups'), changeGroups, addGroups];

/** What is staged by name, by id. */
const linkMembers = `
  insert into linked_members (group_id, host_id)
  select g.id, h.id from staged_members s
    join groups g on g.inventory_id = :inventory and g.name = s.group_name
    join hosts h on h.inventory_id = :inventory and h.name = s.host_name`;
const linkChildren = `
  insert into linked_children (parent_id, child_id)
  select p.id, c.id from staged_children s
    join groups p on p.inventory_id = :inventory and p.name = s.parent
    join groups c on c.inventory_id = :inventory and c.name = s.child`;

/** Only between what both came from this source: what somebody put together by hand stays. */
const removeMembers = `
  with gone as materialized (
    select l.group_id, l.host_id from groups g join group_hosts l on l.group_id = g.id
    where g.inventory_id = :inventory and :source = any (g.source_ids)
      and not exists (select from linked_members s where s.group_id = l.group_id and s.host_id = l.host_id))
  delete from group_hosts l using gone, hosts h
  where l.group_id = gone.group_id and l.host_id = gone.host_id and h.id = gone.host_id and :source = any (h.source_ids)`;
const removeChildren = `
  delete from group_children l using groups p, groups c
  where l.parent_id = p.id and l.child_id = c.id and p.inventory_id = :inventory
    and :source = any (p.source_ids) and :source = any (c.source_ids)
    and not exists (select from linked_children s where s.parent_id = l.parent_id and s.child_id = l.child_id)`;
/** What is there already is read to its end before anything is added: looked for link by link it would grow meanwhile. */
const addMembers = `
  insert into group_hosts (group_id, host_id)
  select group_id, host_id from linked_members
  except select l.group_id, l.host_id from group_hosts l join groups g on g.id = l.group_id where g.inventory_id = :inventory
  on conflict do nothing`;
const addChildren = `
  insert into group_children (parent_id, child_id)
  select parent_id, child_id from linked_children
  except select l.parent_id, l.child_id from group_children l join groups g on g.id = l.parent_id where g.inventory_id = :inventory
  on conflict do nothing`;

/**
 * Makes the inventory what was compared and locked, by statements over all rows at once.
 * @returns the ids of the hosts that are new
 * @throws SpecError where groups would contain themselves
 */
export async function applyChanges(
  trx: Knex.Transaction,
  { id: source, inventory_id: inventory, overwrite }: ComparedSource,
): Promise<number[]> {
  const run = async (sql: string): Promise<number> => (await trx.raw(sql, { source, inventory })).rowCount ?? 0;
  for (const sql of ofHosts) await run(sql);
  const { rows: added }: { rows: { id: number }[] } = await trx.raw(addHosts, { source, inventory });
  for (const sql of ofGroups) await run(sql);
  await readingWholes(trx, async () => {
    await run(linkMembers);
    await run(linkChildren);
  });
  await run('analyze linked_members, linked_children');
  if (overwrite) {
    await run(removeMembers);
    await run(removeChildren);
  }
  await run(addMembers);
  if (await run(addChildren)) await assertNoLoops(trx, inventory);
  return added.map(({ id }) => id);
}
